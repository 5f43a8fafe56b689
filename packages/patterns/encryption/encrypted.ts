// Definitions of properties whose values are encrypted before they leave the program: in the row they are Binary, and in an entity's value a Ciphertext, so that no door of the library writes anything else. What of
// an entity is encrypted and hashed, checked once; and to which row and property a ciphertext is bound. encryption.ts encrypts.
import type { AnyEntity, Field } from '../model/definition.js';
import { fromUtf8, toUtf8 } from '../values/bytes.js';
import { checkJson, checkValue } from '../values/check-value.js';
import { PatternError, type RowAddress, refuseDefinition, refuseValue } from '../values/pattern-error.js';
import { longPieces, type Pieces } from '../values/pieces.js';
import { inPieces, type Presence, type Property, type Use } from '../values/property.js';
import { readRow } from '../values/read-wire.js';
import { decodeProperty } from '../values/typed-value.js';
import { encodeProperty } from '../values/wire-property.js';
import { KEY_BYTES } from './cipher.js';
import { Ciphertext, ContentKey, type KeyPlace } from './ciphertext.js';

const LONG = longPieces('Binary');

/** How bytes stand in a row: in one property, unless they may be long. `made` is what an entity's value has of them. */
function binaryPieces(
  isWhole: boolean,
  made: new (bytes: Uint8Array) => Ciphertext | ContentKey,
  refusal: readonly [expected: string, reason: string],
): Pieces {
  return {
    count: 1,
    isWhole,
    names: wire => (isWhole ? LONG.names(wire) : [wire]),
    check: (value, name) => (value instanceof made ? value : refuseValue(name, ...refusal)),
    split: (wire, value, where) => {
      const { bytes } = value as Ciphertext | ContentKey;
      return isWhole ? LONG.split(wire, bytes, where) : [{ name: wire, type: 'Binary', value: bytes }];
    },
    join: (wire, read) => {
      const found = read(wire);
      const joined = isWhole ? LONG.join(wire, read) : found && { typed: found };
      if (joined === undefined || 'fault' in joined || joined.typed.type !== 'Binary') return joined;
      // No value of the service, but one that the property's own encoding takes back.
      const value = new made(joined.typed.value as Uint8Array) as unknown as Uint8Array;
      return { typed: { type: 'Binary', value } };
    },
  };
}

/** Of an encrypted property: what is in it, and where its key is. */
interface EncryptedPieces extends Pieces {
  readonly inner: Property;
  readonly place: KeyPlace;
}

/** Undefined for what is not encrypted. */
const encryptedPieces = ({ pieces }: Property): EncryptedPieces | undefined =>
  pieces !== undefined && 'inner' in pieces ? (pieces as EncryptedPieces) : undefined;

/** What is in a property: of one that is encrypted, the property that it is made of. */
export const innerOf = (property: Property): Property => encryptedPieces(property)?.inner ?? property;

const CONTENT_KEY: Pieces = {
  ...binaryPieces(false, ContentKey, ['a ContentKey', 'the library makes it']),
  withRow: 'it is the key of other properties of its row',
  stays: 'it is the key of other properties of its row, which would be unreadable',
  onlyHere: 'is the content key of its row, and opens nothing in another one',
};

/** What an encrypted property has in common with the one that it is made of. */
type Present<P extends Presence> = Exclude<P, 'filled'>;

/**
 * A property whose value is encrypted. By default with the content key of its row, for which the entity has a property `contentKey()`: one key a row, and no merge of it, as in the guide. `'self-contained'` values
 * bring their keys along, so that they can be merged, and are longer by the wrapped key. Throws DefinitionInvalid.
 */
export function encrypted<T, P extends Presence, K extends KeyPlace = 'row'>(
  inner: Property<T, P, Use>,
  place: K = 'row' as K,
): Property<Ciphertext<T, K>, Present<P>, 'opaque'> {
  if (inner.filling !== undefined)
    refuseDefinition('encrypted()', 'a property that the library fills cannot be encrypted');
  if (inner.pieces !== undefined && inner.pieces.names('a').length !== LONG.names('a').length)
    refuseDefinition('encrypted()', 'of values in pieces, only those that are long() can be encrypted');
  const pieces: EncryptedPieces = {
    ...binaryPieces(inner.pieces !== undefined, Ciphertext, [
      'a Ciphertext',
      'it is encrypted: write it through encryption(…).repo(db), or seal it first',
    ]),
    inner,
    place,
    onlyHere:
      'is encrypted, and a ciphertext opens in its own row only: a keyed hash of it, which the hashes of encryption() make, may be here instead',
    withRow:
      place === 'row'
        ? 'it is encrypted with the key of its row, which other properties may be under: a merge would leave them unreadable'
        : undefined,
  };
  let made: Property<Ciphertext<T, K>, Presence, 'opaque'> = inPieces('Binary', pieces);
  if (inner.storedName !== undefined) made = made.stored(inner.storedName);
  if (inner.presence === 'optional') made = made.optional();
  return made as Property<Ciphertext<T, K>, Present<P>, 'opaque'>;
}

/** The property that holds the content key of a row. The library writes it. */
export const contentKey = (): Property<ContentKey, 'optional', 'opaque'> =>
  inPieces<ContentKey>('Binary', CONTENT_KEY).optional();

/** A refusal that shows nothing of the value. */
function hidden<T>(name: string, { edm }: Property, check: () => T): T {
  try {
    return check();
  } catch (thrown) {
    if (PatternError.is(thrown, 'TooLarge')) throw thrown;
    return refuseValue(
      name,
      edm,
      'its type, its schema or its check refuses the value, which is not shown because it is secret',
    );
  }
}

/** The bytes to encrypt: of a Binary itself, else the JSON of the value as the service would get it, in UTF-8. Throws ValueInvalid, which shows nothing of the value, and TooLarge. */
export const plaintextOf = (name: string, property: Property, value: unknown): Uint8Array =>
  hidden(name, property, () => {
    const { edm, json, pieces } = property;
    if (json !== undefined) {
      const text = JSON.stringify(value);
      checkJson(property, JSON.parse(text), name);
      return toUtf8(text);
    }
    const checked = checkValue(property, value, name);
    if (edm === 'Binary') return Uint8Array.from(checked as Uint8Array);
    if (pieces !== undefined) return toUtf8(JSON.stringify(checked));
    return toUtf8(encodeProperty(name, edm, checked).literal);
  });

/** Throws ValueInvalid for what is not a value of the property. */
export const valueOfPlaintext = (name: string, property: Property, bytes: Uint8Array): unknown =>
  hidden(name, property, () => {
    const { edm, json } = property;
    if (edm === 'Binary') return checkValue(property, Uint8Array.from(bytes), name);
    const text = fromUtf8(bytes);
    if (json !== undefined) return checkJson(property, JSON.parse(text), name);
    const { value } = readRow(`{"value":${text}}`);
    return checkValue(property, decodeProperty(value ?? null, `Edm.${edm}`).value, name);
  });

/** An encrypted property. */
export interface SealedField {
  readonly name: string;
  readonly wire: string;
  readonly pieces: EncryptedPieces;
}

/** How a property is made of the value of another one, by which rows are found. */
export interface KeyedHash {
  /** The property whose value is hashed: one of the kinds of text, or a number. */
  readonly of: string;
  /** 32 bytes, and no key that anything else is under. */
  readonly key: Uint8Array;
  /** Normalizes a text so that equal results are found alike: `text => text.toLowerCase()`. */
  readonly normalize?: (text: string) => string;
}

/** What is done with the values of an entity. */
export interface Sealing {
  readonly sealed: readonly SealedField[];
  readonly contentKey: Field | undefined;
  readonly hashes: ReadonlyMap<string, KeyedHash>;
}

function checkHash({ name: subject, plan }: AnyEntity, name: string, { of, key }: KeyedHash): void {
  const refuse = (reason: string): never => refuseDefinition(`${subject}.${name}`, reason);
  const { property } = plan.byName.get(name) ?? refuse('there is no such property');
  if (property.edm !== 'String' || property.use !== 'plain') refuse('a keyed hash is a t.string()');
  const source = plan.byName.get(of) ?? refuse(`it is made of ${of}, which is not a property`);
  const inner = innerOf(source.property);
  if (inner.json !== undefined || inner.pieces !== undefined || inner.edm === 'Double')
    refuse(`${of} has no text by which equal values are found`);
  if (key.length !== KEY_BYTES) refuse(`its key has ${key.length} bytes, and has to have ${KEY_BYTES}`);
  if (source.property.presence === 'optional' && property.presence === 'required')
    refuse(`${of} is optional, and so has to be its hash`);
}

/** Throws DefinitionInvalid. */
export function sealingOf(entity: AnyEntity, hashes: Readonly<Record<string, KeyedHash>>): Sealing {
  const { name, plan } = entity;
  const sealed = plan.fields.flatMap(({ name: own, wire, property }) => {
    const pieces = encryptedPieces(property);
    return pieces === undefined ? [] : [{ name: own, wire, pieces }];
  });
  if (sealed.length === 0) refuseDefinition(name, 'none of its properties is encrypted()');
  const [contentKey, second] = plan.fields.filter(({ property }) => property.pieces === CONTENT_KEY);
  if (second !== undefined) refuseDefinition(name, 'it has two properties for the content key of a row');
  const ofRow = sealed.find(({ pieces }) => pieces.place === 'row');
  if (ofRow !== undefined && contentKey === undefined)
    refuseDefinition(
      name,
      `${ofRow.name} is encrypted with the key of its row, and there is no property contentKey() for that`,
    );
  if (plan.rebucketing !== undefined)
    refuseDefinition(
      name,
      'the number of its buckets is being changed, and a ciphertext is bound to the keys of its row',
    );
  const timed = plan.fields.find(({ inKey, property }) => inKey && property.filling !== undefined);
  if (timed !== undefined)
    refuseDefinition(
      name,
      `${timed.name} is part of a key, to which ciphertexts are bound, and the library fills it`,
    );
  for (const [each, hash] of Object.entries(hashes)) checkHash(entity, each, hash);
  return { sealed, contentKey, hashes: new Map(Object.entries(hashes)) };
}

/** What the tag of a ciphertext also covers, so that it opens in its own table, row and property only, as the type that it has. Names of tables are case-insensitive. */
export const boundTo = (
  { table, partitionKey, rowKey }: RowAddress,
  { wire, pieces }: SealedField,
  format: number,
): Uint8Array =>
  toUtf8(
    JSON.stringify([
      'shelfmark-patterns',
      format,
      table.toLowerCase(),
      partitionKey,
      rowKey,
      wire,
      pieces.inner.edm,
    ]),
  );
