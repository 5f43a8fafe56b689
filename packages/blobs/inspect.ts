// Checks the stored form of containers, blobs and the service's properties for `shelfmark check`: a finding is a sentence, undefined is
// sound. The engine checks its own spaces, rows and contents; this checks each row on its own, and lists the contents that rows name.
import { faultOf, propertiesFault, reservedNameFault } from '#account';
import type { NamedContent, Row, Space } from '#store';
import { checkBlobName, checkContainerName } from './limits.js';
import { decodeContainer, encodeContainer } from './rows/container-space.js';
import { decodeExtent, encodeExtent } from './rows/extent.js';
import { decodeHead, decodeManifest, encodeHead, type Piece } from './rows/head.js';
import { blockIdOfKey, checkedKind, startOfKey } from './rows/keys.js';
import { decodeStagedBlock, decodeStaging, encodeStagedBlock, encodeStaging } from './rows/staged-block.js';

/** Whether this service wrote the space. */
export const isOfBlobService = ({ service, name }: Space): boolean =>
  service === 'blob' || service === 'dropped blob' || (service === 'properties' && name === 'blob');

/** The finding in the metadata of a space that this service wrote. */
export const inspectBlobSpace = (space: Space): string | undefined => faultOf(() => spaceFault(space));

/** The finding in a row of such a space. */
export const inspectBlobRow = (space: Space, row: Row): string | undefined =>
  faultOf(() => rowFault(space, row));

function spaceFault(space: Space): string | undefined {
  if (space.service === 'properties') return propertiesFault(space, 'blob');
  if (space.service === 'dropped blob') return reservedNameFault(space);
  checkContainerName(space.name);
  const encoded = encodeContainer(decodeContainer(space.metadata));
  return encoded.equals(space.metadata) ? undefined : "the container's metadata is damaged.";
}

function rowFault(space: Space, row: Row): string | undefined {
  if (space.service !== 'blob') return `the service '${space.service}' has no rows.`;
  checkBlobName(row.partition);
  const { value } = row;
  switch (checkedKind(row)) {
    case 'blob':
    case 'snapshot':
      return headFault(value);
    case 'staging':
      return encodeStaging(decodeStaging(value)).equals(value)
        ? undefined
        : 'the staging of blocks is damaged.';
    case 'block':
      return encodeStagedBlock(decodeStagedBlock(value)).equals(value)
        ? undefined
        : 'an uncommitted block is damaged.';
    case 'extent':
      return encodeExtent(decodeExtent(value)).equals(value) ? undefined : 'an extent is damaged.';
    case undefined:
      return 'its key is none that a blob can have.';
  }
}

function headFault(value: Buffer): string | undefined {
  const head = decodeHead(value);
  if (!encodeHead(head).equals(value)) return "the blob's head is damaged.";
  if (head.type !== 'BlockBlob' || head.manifest !== undefined) return undefined;
  const listed = head.pieces.reduce((sum, { length }) => sum + length, 0);
  const isWhole =
    head.pieces.length === 0 ? (head.inline?.length ?? 0) === head.length : listed === head.length;
  return isWhole ? undefined : "the blob's length is not that of its content.";
}

/** The contents that pieces name, each up to the last byte that one of them has. */
function namedByPieces(pieces: readonly Piece[], of: string): readonly NamedContent[] {
  const bytes = new Map<string, number>();
  for (const { content, from, length } of pieces)
    if (content !== '') bytes.set(content, Math.max(from + length, bytes.get(content) ?? 0));
  return [...bytes].map(([id, until]) => ({
    id,
    bytes: until,
    where: (first, last) => whereInPieces(pieces, id, of, first, last),
  }));
}

/** The first piece that has any of the bytes. */
function whereInPieces(
  pieces: readonly Piece[],
  id: string,
  of: string,
  first: number,
  last: number,
): string | undefined {
  let start = 0;
  for (const { content, from, length } of pieces) {
    const place = content === id ? placeIn(start, from, length, of, first, last) : undefined;
    if (place !== undefined) return place;
    start += length;
  }
  return undefined;
}

/** Of a part that begins at `start` and has `length` bytes of a content from `from` on. */
function placeIn(
  start: number,
  from: number,
  length: number,
  of: string,
  first: number,
  last: number,
): string | undefined {
  const [begin, end] = [Math.max(first, from), Math.min(last, from + length)];
  return begin < end ? `the bytes ${start + begin - from} to ${start + end - from - 1} of ${of}` : undefined;
}

const whereInPart =
  (start: number, from: number, length: number, of: string): NonNullable<NamedContent['where']> =>
  (first, last) =>
    placeIn(start, from, length, of, first, last);

const namedByManifest =
  (of: string) =>
  (bytes: Buffer): readonly NamedContent[] =>
    namedByPieces(decodeManifest(bytes), of);

const listOf =
  (of: string): NonNullable<NamedContent['where']> =>
  () =>
    `part of the list of blocks of ${of}`;

/** The contents that a row without a finding names. */
export function contentsNamedBy(space: Space, row: Row): readonly NamedContent[] {
  if (space.service !== 'blob') return [];
  const { value, key } = row;
  const kind = checkedKind(row);
  switch (kind) {
    case 'blob':
    case 'snapshot': {
      const of = kind === 'blob' ? 'the blob' : 'the snapshot';
      const { pieces, manifest } = decodeHead(value);
      if (manifest === undefined) return namedByPieces(pieces, of);
      const { content: id, bytes } = manifest;
      return [{ id, bytes, names: namedByManifest(of), where: listOf(of) }];
    }
    case 'block': {
      const { content: id, length } = decodeStagedBlock(value);
      const of = `the uncommitted block '${blockIdOfKey(key)}'`;
      return id === undefined ? [] : [{ id, bytes: length, where: whereInPart(0, 0, length, of) }];
    }
    case 'extent': {
      const { content: id, from, length } = decodeExtent(value);
      const where = whereInPart(startOfKey(key), from, length, 'the blob');
      return id === undefined ? [] : [{ id, bytes: from + length, where }];
    }
    default:
      return [];
  }
}
