// Ticks for commits. Versions of a row must rise even when its space is dropped and created again, under the clock of
// any process: no tick is issued above a ceiling that is kept in the cluster, and a new space of a name begins above
// the ceiling of the time when the old one was dropped.
import type { Clock } from '#base';
import type { Commits } from './commit/commits.js';
import { SYSTEM } from './layout/schema.js';

const PARTITION = 'ticks';
const KEY = 'ceiling';
const TICKS_A_SECOND = 10_000_000n;
/** How far in the future a space above the ceiling may begin. */
const AHEAD = 10n * TICKS_A_SECOND;
/** More than a group of commits uses. */
const ROOM = 2000n;

const LONG_BYTES = 8;

export function longBytes(value: bigint): Buffer {
  const bytes = Buffer.alloc(LONG_BYTES);
  bytes.writeBigInt64BE(value);
  return bytes;
}

export class Ticks {
  readonly #commits: Commits;
  readonly #clock: Clock;
  #ceiling = 0n;

  constructor(commits: Commits, clock: Clock) {
    this.#commits = commits;
    this.#clock = clock;
  }

  /** A tick after `fence` and not before now, for a partition of a space. */
  async next(fence: bigint): Promise<bigint> {
    const tick = this.plain(fence);
    if (tick + ROOM > this.#ceiling) this.#ceiling = await this.#raise(tick);
    return tick;
  }

  /** The same for the engine's own rows, which are never dropped. */
  plain(fence: bigint): bigint {
    const now = this.#clock();
    return now > fence ? now : fence + 1n;
  }

  /** No process has issued a tick above it when this is called. */
  ceiling(): Promise<bigint> {
    return this.#commits.commit(SYSTEM, PARTITION, { keys: [KEY] }, ({ keys }) => ({
      result: ceilingOf(keys[0]),
    }));
  }

  #raise(tick: bigint): Promise<bigint> {
    const wanted = tick + AHEAD;
    return this.#commits.commit(SYSTEM, PARTITION, { keys: [KEY] }, ({ keys }) => {
      const known = ceilingOf(keys[0]);
      if (known >= tick + AHEAD / 2n) return { result: known };
      return { result: wanted, puts: [{ key: KEY, value: longBytes(wanted) }] };
    });
  }
}

const ceilingOf = (row: { readonly value: Buffer } | undefined): bigint => row?.value.readBigInt64BE() ?? 0n;
