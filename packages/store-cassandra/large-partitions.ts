// The partitions past 10^6 rows or 100 MB that this process has written to: as metrics, and each once in a warning, at
// most one warning a minute.
import { createHash } from 'node:crypto';
import type { Space, Statistic } from '#store';
import type { Size } from './commit/size.js';

export interface LargeBounds {
  readonly rows: number;
  readonly bytes: number;
}

/** Cassandra's own advice is 100 MB: a partition is read, compacted and repaired as a whole. */
export const LARGE: LargeBounds = { rows: 1_000_000, bytes: 100_000_000 };
const SPACES: Readonly<Record<string, string>> = { blob: 'container' };
/** More are not distinguished. */
const KNOWN_MAX = 1000;
const PAUSE_MS = 60_000;
/** For a partition's name in a warning; names may have a whole KiB. */
const NAME_MAX = 64;

interface Known {
  size: Size;
  isTold: boolean;
}

interface LargePartitionsOptions {
  readonly bounds?: LargeBounds | undefined;
  /** Milliseconds, of a monotonic clock. */
  readonly now?: () => number;
  readonly warn?: (sentence: string) => void;
}

export class LargePartitions {
  readonly #bounds: LargeBounds;
  readonly #now: () => number;
  readonly #warn: (sentence: string) => void;
  readonly #known = new Map<string, Known>();
  #silentUntil = Number.NEGATIVE_INFINITY;

  constructor({
    bounds = LARGE,
    now = () => performance.now(),
    warn = warning,
  }: LargePartitionsOptions = {}) {
    this.#bounds = bounds;
    this.#now = now;
    this.#warn = warn;
  }

  /** Call after each commit that changed rows. */
  note(sid: bigint, partition: string, size: Size): void {
    const place = placeOf(sid, partition);
    const known = this.#known.get(place);
    if (size.rows <= this.#bounds.rows && size.bytes <= this.#bounds.bytes) this.#known.delete(place);
    else if (known !== undefined) known.size = size;
    else if (this.#known.size < KNOWN_MAX) this.#known.set(place, { size, isTold: false });
  }

  /** Call after `note`; the caller knows the space. */
  tell(space: Space, partition: string): void {
    if (this.#known.size === 0) return;
    const known = this.#known.get(placeOf(BigInt(space.id), partition));
    if (known === undefined || known.isTold || this.#now() < this.#silentUntil) return;
    known.isTold = true;
    this.#silentUntil = this.#now() + PAUSE_MS;
    const { rows, bytes } = known.size;
    const { account, service, name } = space;
    this.#warn(
      `The partition ${shown(partition)} of the ${SPACES[service] ?? service} ${account}/${name} has ${rows} rows of ${bytes} bytes: ` +
        `past ${this.#bounds.rows} rows or ${this.#bounds.bytes} bytes its repair and compaction take long. Spread it over more partition keys.`,
    );
  }

  statistics(): readonly Statistic[] {
    const sizes = [...this.#known.values()].map(({ size }) => size);
    const gauge = (name: string, help: string, value: number): Statistic => ({
      kind: 'gauge',
      name: `cassandra_${name}`,
      help,
      value,
      aggregate: 'max',
    });
    const past = `past ${this.#bounds.rows} rows or ${this.#bounds.bytes} bytes that this process wrote to`;
    return [
      gauge('large_partitions', `Partitions ${past}.`, sizes.length),
      gauge(
        'largest_partition_rows',
        `The most rows of a partition ${past}.`,
        most(sizes.map(({ rows }) => rows)),
      ),
      gauge(
        'largest_partition_bytes',
        `The most bytes of a partition ${past}.`,
        most(sizes.map(({ bytes }) => bytes)),
      ),
    ];
  }
}

const most = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.max(a, b), 0);

const placeOf = (sid: bigint, partition: string): string => `${sid} ${partition}`;

/** On one line; a long name is identified by a digest. */
function shown(partition: string): string {
  const text = JSON.stringify(partition);
  if (text.length <= NAME_MAX) return text;
  const digest = createHash('sha256').update(partition).digest('hex').slice(0, 16);
  return `${JSON.stringify(partition.slice(0, NAME_MAX))}… (SHA-256 ${digest}…)`;
}

const warning = (sentence: string): void =>
  process.emitWarning(sentence, { type: 'ShelfmarkWarning', code: 'SHELFMARK_CASSANDRA_LARGE_PARTITION' });
