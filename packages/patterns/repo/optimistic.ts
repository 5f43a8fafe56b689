// Optimistic concurrency: how a write ends that another writer came before, how often it is tried, and after which pauses. What an attempt reads and writes is the
// caller's.

import { Jitter } from '../concurrency/jitter.js';
import { fraction, type Surroundings } from '../concurrency/surroundings.js';
import { PatternError, type RowAddress } from '../values/pattern-error.js';

const ATTEMPTS = 8;
/** Milliseconds. */
const PAUSES = { base: 20, cap: 1_000 } as const;

/** For what a batch was refused; any other error as it is. */
export const refusalOf = (thrown: unknown): unknown =>
  PatternError.is(thrown, 'BatchFailed') && PatternError.is(thrown.cause) ? thrown.cause : thrown;

/** Whether another writer came before: the row is there already, was changed or is gone. */
export function isLost(thrown: unknown): boolean {
  const refusal = refusalOf(thrown);
  return (
    PatternError.is(refusal, 'Conflict') ||
    PatternError.is(refusal, 'NotFound') ||
    PatternError.is(refusal, 'AlreadyExists')
  );
}

/** What `write` gives; undefined if another writer came before. */
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
    this.#most = attempts;
    this.#signal = signal;
    this.#sleep = sleep;
    this.#jitter = new Jitter(PAUSES, () => fraction(random));
  }

  /** Pauses after an attempt that another writer came before. After the last one it throws Contention, with `advice` as its cause. */
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
  /** What the row must have; `*` is that of any row. */
  readonly etag: string;
  /** There need be no row. */
  readonly mayLack: boolean;
  read(): Promise<S | undefined>;
}

/** Reads the row and writes by what is there, again if any ETag will do and others were faster. Throws NotFound, Conflict and Contention. */
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
