// The keys that values are under: made, wrapped by the ring, and kept unwrapped for a while, so that a service that wraps is not asked for every value. Nothing of them leaves the process unwrapped.
import type { Chance } from '../concurrency/surroundings.js';
import { toBase64 } from '../values/bytes.js';
import { PatternError, type RowAddress, refuseDefinition, rowText } from '../values/pattern-error.js';
import { contentKeyOf, KEY_BYTES, type SecretKey } from './cipher.js';
import type { WrappedKey } from './ciphertext.js';
import { checkKeyId, type KeyRing } from './key-ring.js';

/** A content key of this process. */
export interface OpenKey {
  readonly key: SecretKey;
  readonly wrapped: WrappedKey;
}

/** What reading may keep unwrapped. */
const KEPT_MAX = 1_000;
/** Milliseconds for which self-contained values get the same key. */
const SHARED_FOR = 3_600_000;
/** Values under one key at most. With random nonces NIST SP 800-38D 8.3 allows 2^32. */
const SHARED_VALUES_MAX = 2 ** 24;

interface SharedKey {
  readonly made: Promise<OpenKey>;
  readonly since: number;
  values: number;
}

/** Where a key is wanted, for errors. */
export type WantedAt = RowAddress & { readonly property: string };

export const keyUnavailable = (
  at: WantedAt,
  keyId: string,
  reason: string,
  cause?: unknown,
): PatternError => {
  const sentence = `The key ${keyId} of ${at.property} of ${rowText(at)} is not available: ${reason}.`;
  return new PatternError('KeyUnavailable', { ...at, keyId, reason }, { sentence, cause });
};

export const ciphertextRefused = (at: WantedAt, reason: string): PatternError => {
  const sentence = `The value ${at.property} of ${rowText(at)} does not open: ${reason}.`;
  return new PatternError('CiphertextRefused', { ...at, reason }, { sentence });
};

export class ContentKeys {
  readonly #ring: KeyRing;
  readonly #chance: Chance;
  /** Of self-contained values, by the name of the wrapping key. */
  readonly #shared = new Map<string, SharedKey>();
  /** Unwrapped ones, the one that was used last at the end. */
  readonly #kept = new Map<string, Promise<SecretKey>>();

  constructor(ring: KeyRing, chance: Chance) {
    this.#ring = ring;
    this.#chance = chance;
  }

  /** A key that no other value is under. Throws KeyUnavailable. */
  async fresh(keyId: string, at: WantedAt): Promise<OpenKey> {
    const own = await this.#wrapping(checkKeyId(keyId), at);
    const bytes = Uint8Array.from(this.#chance.random(KEY_BYTES));
    if (bytes.length !== KEY_BYTES)
      refuseDefinition('random', `it gave ${bytes.length} bytes for ${KEY_BYTES}`);
    try {
      const wrapped = { keyId, wrapped: await own.wrap(bytes) };
      const key = contentKeyOf(bytes);
      this.#keep(wrapped, key);
      return { key: await key, wrapped };
    } catch (cause) {
      throw keyUnavailable(at, keyId, 'it did not wrap a key', cause);
    }
  }

  /** A key that other values of this hour are under, too. Throws KeyUnavailable. */
  async shared(keyId: string, at: WantedAt): Promise<OpenKey> {
    const found = this.#shared.get(keyId);
    const now = this.#chance.now();
    if (found !== undefined && now - found.since < SHARED_FOR && found.values < SHARED_VALUES_MAX) {
      found.values++;
      return ofOwn(found.made, at);
    }
    const made = this.fresh(keyId, at);
    const shared = { made, since: now, values: 1 };
    this.#shared.set(keyId, shared);
    // What failed is tried again by the next value.
    made.catch(() => this.#shared.get(keyId) === shared && this.#shared.delete(keyId));
    return made;
  }

  /** Throws KeyUnavailable for a key that the ring does not have, or that does not unwrap. */
  async open(wrapped: WrappedKey, at: WantedAt): Promise<SecretKey> {
    const kept = this.#kept.get(nameOf(wrapped));
    if (kept !== undefined) {
      this.#keep(wrapped, kept);
      return ofOwn(kept, at);
    }
    const opened = this.#unwrapped(wrapped, at);
    this.#keep(wrapped, opened);
    opened.catch(() => this.#kept.delete(nameOf(wrapped)));
    return opened;
  }

  async #unwrapped(wrapped: WrappedKey, at: WantedAt): Promise<SecretKey> {
    const { keyId } = wrapped;
    const own = await this.#wrapping(keyId, at);
    try {
      return await contentKeyOf(await own.unwrap(wrapped.wrapped));
    } catch (cause) {
      throw keyUnavailable(at, keyId, 'it does not unwrap what stands in the row', cause);
    }
  }

  async #wrapping(keyId: string, at: WantedAt) {
    let cause: unknown;
    try {
      const key = await this.#ring.key(keyId);
      if (key !== undefined) return key;
    } catch (thrown) {
      cause = thrown;
    }
    const reason = cause === undefined ? 'the ring has no such key' : 'the ring could not find it';
    throw keyUnavailable(at, keyId, reason, cause);
  }

  #keep(wrapped: WrappedKey, key: Promise<SecretKey>): void {
    const name = nameOf(wrapped);
    this.#kept.delete(name);
    this.#kept.set(name, key);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT_MAX && oldest !== undefined) this.#kept.delete(oldest);
  }
}

/** What several values wait for: each error is of its own value. */
const ofOwn = <T>(key: Promise<T>, at: WantedAt): Promise<T> =>
  key.catch((thrown: unknown) => {
    if (!PatternError.is(thrown, 'KeyUnavailable')) throw thrown;
    throw keyUnavailable(at, thrown.detail.keyId, thrown.detail.reason, thrown.cause);
  });

const nameOf = ({ keyId, wrapped }: WrappedKey): string => `${keyId} ${toBase64(wrapped)}`;
