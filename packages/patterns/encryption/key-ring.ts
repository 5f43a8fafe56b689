// Keys that wrap keys, by their names: local ones, or those of any service that wraps and unwraps, such as Key Vault. Values are never under them: encryption.ts makes the keys that are.
import { utf8Length } from '../values/bytes.js';
import { refuseDefinition } from '../values/pattern-error.js';
import { KEY_BYTES, unwrap, wrap } from './cipher.js';

/** A key that encrypts keys. Both may take a request to a service. */
export interface WrappingKey {
  wrap(key: Uint8Array): Promise<Uint8Array>;
  /** Throws for what it did not wrap. */
  unwrap(wrapped: Uint8Array): Promise<Uint8Array>;
}

/** The wrapping keys of a program. */
export interface KeyRing {
  /** The name of the key that new values get. */
  current(): string;
  /** Undefined if there is none of this name, or none any more. */
  key(id: string): WrappingKey | undefined | Promise<WrappingKey | undefined>;
}

/** What a ring is made of. */
interface KeyRingSpec {
  /** The name of the key that new values get; a function if it changes while the program runs. */
  readonly current: string | (() => string);
  /** By their names, which stand in rows: or a function that finds one. A name has 1 to 255 bytes. */
  readonly keys:
    | Readonly<Record<string, WrappingKey>>
    | ((id: string) => WrappingKey | undefined | Promise<WrappingKey | undefined>);
}

/** Bytes of a key's name, whose length is one byte in what is stored. */
const KEY_ID_BYTES_MAX = 255;

/** Throws DefinitionInvalid. */
export function checkKeyId(id: string): string {
  const bytes = utf8Length(id);
  if (bytes < 1 || bytes > KEY_ID_BYTES_MAX)
    refuseDefinition('key', `its name has ${bytes} bytes, and may have 1 to ${KEY_ID_BYTES_MAX}`);
  return id;
}

/** A ring of these keys. Throws DefinitionInvalid if the current one is not among them. */
export function keyRing({ current, keys }: KeyRingSpec): KeyRing {
  const find = (id: string): ReturnType<KeyRing['key']> => {
    if (typeof keys === 'function') return keys(id);
    return Object.hasOwn(keys, id) ? keys[id] : undefined;
  };
  const nameOfCurrent = (): string => checkKeyId(typeof current === 'function' ? current() : current);
  const id = nameOfCurrent();
  if (typeof keys !== 'function' && find(id) === undefined)
    refuseDefinition('key ring', `its current key ${id} is none of its keys`);
  return { current: nameOfCurrent, key: find };
}

/** A key of 32 bytes that the program has, for AES key wrap (RFC 3394). Throws DefinitionInvalid for another length. */
export function localKey(bytes: Uint8Array): WrappingKey {
  if (bytes.length !== KEY_BYTES)
    refuseDefinition('key', `it has ${bytes.length} bytes, and has to have ${KEY_BYTES}`);
  const own = Uint8Array.from(bytes);
  return { wrap: key => wrap(own, key), unwrap: wrapped => unwrap(own, wrapped) };
}

/** What `CryptographyClient` of `@azure/keyvault-keys` has, and other clients of key services may be given. */
interface RemoteKey<A extends string> {
  wrapKey(algorithm: A, key: Uint8Array): Promise<{ readonly result: Uint8Array }>;
  unwrapKey(algorithm: A, wrapped: Uint8Array): Promise<{ readonly result: Uint8Array }>;
}

/** A key that a service has: `remoteKey(new CryptographyClient(keyId, credential), 'RSA-OAEP-256')`. */
export const remoteKey = <A extends string>(client: RemoteKey<A>, algorithm: A): WrappingKey => ({
  wrap: async key => (await client.wrapKey(algorithm, key)).result,
  unwrap: async wrapped => (await client.unwrapKey(algorithm, wrapped)).result,
});
