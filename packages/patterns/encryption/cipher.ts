// AES and HMAC by Web Crypto, which browsers have as well as Node: AES-256-GCM for values, AES key wrap (RFC 3394) for their keys, HMAC-SHA-256 for keyed hashes. What is encrypted, and under which key, others say.

/** Bytes of every key. */
export const KEY_BYTES = 32;

/** The type of Web Crypto's keys, wherever it is declared. */
export type SecretKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Web Crypto rejects memory that threads share; the type system does not express this here. */
const exact = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(bytes);

export const contentKeyOf = (bytes: Uint8Array): Promise<SecretKey> =>
  crypto.subtle.importKey('raw', exact(bytes), 'AES-GCM', false, ['encrypt', 'decrypt']);

/** The data and behind it the tag of 16 bytes. */
export async function encrypt(
  key: SecretKey,
  nonce: Uint8Array,
  data: Uint8Array,
  bound: Uint8Array,
): Promise<Uint8Array> {
  const algorithm = { name: 'AES-GCM', iv: exact(nonce), additionalData: exact(bound) };
  return new Uint8Array(await crypto.subtle.encrypt(algorithm, key, exact(data)));
}

/** Undefined if the key, the nonce, the data or what it is bound to is another one. */
export async function decrypt(
  key: SecretKey,
  nonce: Uint8Array,
  data: Uint8Array,
  bound: Uint8Array,
): Promise<Uint8Array | undefined> {
  const algorithm = { name: 'AES-GCM', iv: exact(nonce), additionalData: exact(bound) };
  try {
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, exact(data)));
  } catch {
    return undefined;
  }
}

const wrappingKeyOf = (bytes: Uint8Array): Promise<SecretKey> =>
  crypto.subtle.importKey('raw', exact(bytes), 'AES-KW', false, ['wrapKey', 'unwrapKey']);

/** Under RFC 3394: eight bytes more than the key has. */
export async function wrap(wrapping: Uint8Array, key: Uint8Array): Promise<Uint8Array> {
  // Web Crypto wraps keys alone, so the bytes become one.
  const own = await crypto.subtle.importKey('raw', exact(key), { name: 'HMAC', hash: 'SHA-256' }, true, [
    'sign',
  ]);
  return new Uint8Array(await crypto.subtle.wrapKey('raw', own, await wrappingKeyOf(wrapping), 'AES-KW'));
}

/** Throws what Web Crypto throws if the wrapping key is another one, or a byte was changed. */
export async function unwrap(wrapping: Uint8Array, wrapped: Uint8Array): Promise<Uint8Array> {
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await wrappingKeyOf(wrapping);
  const own = await crypto.subtle.unwrapKey('raw', exact(wrapped), key, 'AES-KW', hmac, true, ['sign']);
  return new Uint8Array(await crypto.subtle.exportKey('raw', own));
}

/** HMAC-SHA-256: 32 bytes. */
export async function hmac(key: Uint8Array, message: Uint8Array): Promise<Uint8Array> {
  const own = await crypto.subtle.importKey('raw', exact(key), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ]);
  return new Uint8Array(await crypto.subtle.sign('HMAC', own, exact(message)));
}

/** AES-256-CBC with PKCS #7. Undefined if the padding is none. */
export async function decryptCbc(
  key: Uint8Array,
  iv: Uint8Array,
  data: Uint8Array,
): Promise<Uint8Array | undefined> {
  const own = await crypto.subtle.importKey('raw', exact(key), 'AES-CBC', false, ['decrypt']);
  try {
    return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-CBC', iv: exact(iv) }, own, exact(data)));
  } catch {
    return undefined;
  }
}

export const sha256 = async (bytes: Uint8Array): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', exact(bytes)));
