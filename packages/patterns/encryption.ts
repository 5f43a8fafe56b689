// Encrypted properties, as `shelfmark-patterns/encryption`: AES-256-GCM for each value, under keys of a ring; keyed hashes to find rows by; rotation; and reading rows that classic SDKs encrypted. A separate
// entry, because most programs have no secrets. It uses Web Crypto only, no Node.js module.
import { Encryption, type EncryptionSpec } from './encryption/encryption.js';
import type { AnyEntity } from './model/definition.js';

export { Ciphertext, ContentKey } from './encryption/ciphertext.js';
export { readClassic } from './encryption/classic.js';
export type { ClearStored } from './encryption/clear.js';
export { contentKey, encrypted } from './encryption/encrypted.js';
export type { EncryptedRepo } from './encryption/encrypted-repo.js';
export type { Encryption } from './encryption/encryption.js';
export { type KeyRing, keyRing, localKey, remoteKey, type WrappingKey } from './encryption/key-ring.js';
export { type ResealProgress, reseal } from './encryption/reseal.js';

/** The encryption of the rows of an entity with `encrypted` properties. Throws DefinitionInvalid. */
export const encryption = <E extends AnyEntity, const H extends keyof E['props'] & string = never>(
  entity: E,
  spec: EncryptionSpec<H>,
): Encryption<E, H> => new Encryption(entity, spec);
