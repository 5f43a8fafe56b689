// Optimistic concurrency: which errors mean that another writer came first, how often a write is tried, and the pauses between attempts.

import { Jitter } from '../concurrency/jitter.js';
import { fraction, type Surroundings } from '../concurrency/surroundings.js';
import { PatternError, type RowAddress, refuseValue } from '../values/pattern-error.js';

const ATTEMPTS = 8;
/** Milliseconds. */
const PAUSES = { base: 20, cap: 1_000 } as const;

/** The refusal in a BatchFailed; any other error as it is. */
export const refusalOf = (thrown: unknown): unknown =>
  PatternError.is(thrown, 'BatchFailed') && PatternError.is(thrown.cause) ? thrown.cause : thrown;

/** Whether another writer came first: the row exists already, was changed or is gone. */
export function isLost(thrown: unknown): boolean {
  const refusal = refusalOf(thrown);
  return PatternError.is(refusal) && ['Conflict', 'NotFound', 'AlreadyExists'].includes(refusal.code);
}

/** The result of `write`; undefined if another writer came first. */
export async function unlessLost<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (thrown) {
    if (isLost(thrown)) return undefined;
    throw thrown;
  }
}

interface AttemptsOptions {
  /** 8 by default. */
  readonly attempts?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The attempts of one operation. */
export class Attempts {
  readonly #most: number;
  readonly #signal: AbortSignal | undefined;
  readonly #sleep: Surroundings['sleep'];
  readonly #jitter: Jitter;
  #made = 0;

  constructor({ random, sleep }: Surroundings, { attempts = ATTEMPTS, signal }: AttemptsOptions = {}) {
    if (!(attempts >= 1)) refuseValue('attempts', 'a number from 1', `it is ${attempts}`);
    this.#most = attempts;
    this.#signal = signal;
    this.#sleep = sleep;
    this.#jitter = new Jitter(PAUSES, () => fraction(random));
  }

  /** Pauses before the next attempt. After the last one it throws Contention, with `advice` as its cause. */
  async next(row: RowAddress, lastEtag: string | undefined, advice?: string): Promise<void> {
    if (++this.#made >= this.#most) {
      const { table, partitionKey, rowKey } = row;
      const detail = { table, partitionKey, rowKey, attempts: this.#made, lastEtag };
      throw new PatternError('Contention', detail, advice === undefined ? {} : { cause: new Error(advice) });
    }
    await this.#sleep(this.#jitter.next(), this.#signal);
  }
}

interface RowNow<S> {
  readonly surroundings: Surroundings;
  readonly address: RowAddress;
  /** The ETag that the row must have; `*` allows any. */
  readonly etag: string;
  /** Whether the row may be missing. */
  readonly mayLack: boolean;
  read(): Promise<S | undefined>;
}

/** Reads the row and writes by what it holds. With the ETag `*` it starts over when another writer came first. Throws NotFound, Conflict and Contention. */
export async function writeByRead<S extends { readonly etag: string }, T>(
  { surroundings, address, etag, mayLack, read }: RowNow<S>,
  options: AttemptsOptions,
  write: (stored: S | undefined) => Promise<T>,
): Promise<T> {
  for (const attempts = new Attempts(surroundings, options); ; ) {
    const stored = await read();
    if (stored === undefined && !mayLack) throw new PatternError('NotFound', address);
    if (stored !== undefined && etag !== '*' && stored.etag !== etag)
      throw new PatternError('Conflict', { ...address, etag });
    try {
      return await write(stored);
    } catch (thrown) {
      if (etag !== '*' || !isLost(thrown)) throw thrown;
    }
    await attempts.next(address, stored?.etag);
  }
}
