// The encrypted value of a property as it is stored: what its bytes say. Which key opens it, and what it is bound to, is the matter of encryption.ts.
import { fromUtf8, joinBytes, toUtf8 } from '../values/bytes.js';

/** Which key a value is under: the content key of its row, or one that it brings along. */
export type KeyPlace = 'row' | 'self-contained';

/** The first byte, which says the form of the rest. */
export const FORMAT = { plain: 0, row: 1, selfContained: 2, contentKey: 3 } as const;

/** Bytes of the nonce of AES-GCM, as NIST SP 800-38D 8.2 recommends it. */
export const NONCE_BYTES = 12;
/** Bytes of the tag of AES-GCM. */
const TAG_BYTES = 16;

/** A key under another one, and which that is. */
export interface WrappedKey {
  readonly keyId: string;
  readonly wrapped: Uint8Array;
}

/** What is taken apart of a value. */
export interface Opened {
  readonly format: number;
  /** Of a value that brings its key along. */
  readonly key: WrappedKey | undefined;
  readonly nonce: Uint8Array;
  /** With its tag; of a plain value, that. */
  readonly data: Uint8Array;
}

/** An encrypted value. It shows nothing of what is in it, except its length. */
export class Ciphertext<T = unknown, K extends KeyPlace = KeyPlace> {
  readonly kind = 'ciphertext';
  declare readonly '~value'?: T;
  declare readonly '~key'?: K;
  /** As they are stored. */
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** The content key of a row, under a key of the ring: the guide's one key for all properties of an entity. */
export class ContentKey {
  readonly kind = 'content key';
  /** As they are stored. */
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

/** The length of a key's name is one byte, that of a wrapped key two: RSA of 4096 bits wraps to 512. */
export function formatKey({ keyId, wrapped }: WrappedKey): Uint8Array {
  const id = toUtf8(keyId);
  return joinBytes([
    Uint8Array.of(id.length),
    id,
    Uint8Array.of(wrapped.length >> 8, wrapped.length),
    wrapped,
  ]);
}

class Cursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Undefined if there are fewer. */
  take(count: number): Uint8Array | undefined {
    if (this.#at + count > this.#bytes.length) return undefined;
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  number(bytes: number): number | undefined {
    return this.take(bytes)?.reduce((sum, byte) => sum * 256 + byte, 0);
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }
}

function readKey(cursor: Cursor): WrappedKey | undefined {
  const id = cursor.take(cursor.number(1) ?? Number.POSITIVE_INFINITY);
  const wrapped = cursor.take(cursor.number(2) ?? Number.POSITIVE_INFINITY);
  if (id === undefined || wrapped === undefined) return undefined;
  try {
    return { keyId: fromUtf8(id), wrapped };
  } catch {
    return undefined;
  }
}

/** Undefined for bytes that are no encrypted value of this library. */
export function parseCiphertext({ bytes }: Ciphertext): Opened | undefined {
  const cursor = new Cursor(bytes);
  const format = cursor.number(1);
  if (format === FORMAT.plain)
    return { format, key: undefined, nonce: new Uint8Array(), data: cursor.rest() };
  if (format !== FORMAT.row && format !== FORMAT.selfContained) return undefined;
  const key = format === FORMAT.selfContained ? readKey(cursor) : undefined;
  if (format === FORMAT.selfContained && key === undefined) return undefined;
  const nonce = cursor.take(NONCE_BYTES);
  const data = cursor.rest();
  return nonce === undefined || data.length < TAG_BYTES ? undefined : { format, key, nonce, data };
}

export const formatContentKey = (key: WrappedKey): ContentKey =>
  new ContentKey(joinBytes([Uint8Array.of(FORMAT.contentKey), formatKey(key)]));

/** Undefined for bytes that are no content key of this library. */
export function parseContentKey({ bytes }: ContentKey): WrappedKey | undefined {
  const cursor = new Cursor(bytes);
  if (cursor.number(1) !== FORMAT.contentKey) return undefined;
  const key = readKey(cursor);
  return cursor.rest().length === 0 ? key : undefined;
}
