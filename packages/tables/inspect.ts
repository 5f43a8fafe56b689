// Checks the stored form of tables, entities and service properties for `shelfmark check`: a finding is a sentence, undefined
// is sound. The engine checks its own spaces and rows; this checks their contents.
import { faultOf, propertiesFault, reservedNameFault } from '#account';
import type { Row, Space } from '#store';
import {
  decodeEntity,
  ENTRY_BYTES,
  HEADER_BYTES,
  storedProperties,
  textStart,
} from './entity/entity-codec.js';
import { encodeEntity } from './entity/entity-encoder.js';
import { hasForbiddenCharacter } from './limits.js';
import { decodeTableMetadata, encodeTableMetadata } from './table-space.js';

/** The finding in the address or the metadata of a space. */
export const inspectSpace = (space: Space): string | undefined => faultOf(() => spaceFault(space));

/** The finding in a row of a space. */
export const inspectRow = (space: Space, row: Row): string | undefined => faultOf(() => rowFault(space, row));

function spaceFault(space: Space): string | undefined {
  const { service, name, metadata } = space;
  switch (service) {
    case 'table': {
      const decoded = decodeTableMetadata(metadata);
      if (decoded.name.toLowerCase() !== name) return `the table is also named '${decoded.name}'.`;
      return encodeTableMetadata(decoded).equals(metadata) ? undefined : "the table's metadata is damaged.";
    }
    case 'properties':
      return propertiesFault(space, 'table');
    case 'dropped table':
      return reservedNameFault(space);
    default:
      return `there is no service '${service}'.`;
  }
}

function rowFault({ service }: Space, { partition, key, value }: Row): string | undefined {
  if (service !== 'table') return `the service '${service}' has no rows.`;
  if (hasForbiddenCharacter(partition) || hasForbiddenCharacter(key))
    return 'its key holds a character that no key may hold.';
  const properties = decodeEntity(value);
  const names = new Set(properties.map(({ name }) => name));
  if (names.size < properties.length) return 'a property is there twice.';
  const encoded = encodeEntity(properties);
  if (encoded.equals(value)) return undefined;
  if (encoded.length !== value.length) return 'its directory and its texts have different lengths.';
  return `${damagedPart(value, encoded)} is not in the form in which it is written.`;
}

/** The forms are of equal length; the first byte that differs shows which part it is. */
function damagedPart(value: Buffer, encoded: Buffer): string {
  const at = value.findIndex((byte, index) => byte !== encoded[index]);
  if (at < HEADER_BYTES) return 'its header';
  const properties = storedProperties(encoded);
  const found =
    at < textStart(encoded)
      ? properties[Math.floor((at - HEADER_BYTES) / ENTRY_BYTES)]
      : properties.find(({ literalAt, literalLength }) => at < literalAt + literalLength);
  if (found === undefined) return 'its end';
  const name = encoded.toString('latin1', found.nameAt, found.nameAt + found.nameLength);
  return `its property '${name}'`;
}
