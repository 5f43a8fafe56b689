// What of an entity is encrypted and hashed, checked once; and to which row and property a ciphertext is bound. encryption.ts encrypts.
import type { AnyEntity, Field } from '../model/definition.js';
import { toUtf8 } from '../values/bytes.js';
import { type RowAddress, refuseDefinition } from '../values/pattern-error.js';
import { KEY_BYTES } from './cipher.js';
import { EncryptedPieces, innerOf, isContentKey } from './encrypted.js';

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

function sealedFields({ plan }: AnyEntity): readonly SealedField[] {
  return plan.fields.flatMap(({ name, wire, property: { pieces } }) =>
    pieces instanceof EncryptedPieces ? [{ name, wire, pieces }] : [],
  );
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
  const sealed = sealedFields(entity);
  if (sealed.length === 0) refuseDefinition(name, 'none of its properties is encrypted()');
  const [contentKey, second] = plan.fields.filter(({ property }) => isContentKey(property));
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

/** What the tag of a ciphertext covers besides: so that it opens in its own table, row and property only, as the type that it has. Names of tables do not tell capitals from small letters. */
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
