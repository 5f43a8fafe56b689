// Partitions that carry too much: of the rows, or of the writes of one second according to the Timestamps. One machine
// at a time serves a partition, which Azure limits to 2,000 entities a second (the design guide's scalability target).
import type { Row } from '../line/row.js';
import { Largest } from '../stats/table-stats.js';
import { type Finding, percent, type Rule } from './finding.js';

const TARGET_A_SECOND = 2_000;
/** Above half of the target a partition is near it. */
const WRITES_A_SECOND = TARGET_A_SECOND / 2;
const SHARE = 0.2;
/** With fewer rows a share means nothing. */
const ROWS_LEAST = 100;
/** Seconds of one partition that are kept at a time. */
const SECONDS_MAX = 100_000;

interface Loaded {
  readonly partition: string;
  readonly rows: number;
  /** The most rows whose last write was in one second. */
  readonly peak: number;
}

export class HotPartition implements Rule {
  readonly #byRows = new Largest<Loaded>(1, ({ rows }) => rows);
  readonly #byPeak = new Largest<Loaded>(3, ({ peak }) => peak);
  readonly #seconds = new Map<string, number>();
  #rows = 0;
  #peak = 0;
  #total = 0;
  #partitions = 0;

  add({ timestamp }: Row): void {
    this.#rows++;
    this.#total++;
    if (timestamp === undefined) return;
    // Up to the seconds: `2020-01-01T00:00:00`.
    const second = timestamp.slice(0, 19);
    const count = (this.#seconds.get(second) ?? 0) + 1;
    if (count > 1 || this.#seconds.size < SECONDS_MAX) this.#seconds.set(second, count);
    if (count > this.#peak) this.#peak = count;
  }

  end(partition: string): void {
    const loaded = { partition, rows: this.#rows, peak: this.#peak };
    this.#byRows.add(loaded);
    this.#byPeak.add(loaded);
    this.#partitions++;
    this.#rows = 0;
    this.#peak = 0;
    this.#seconds.clear();
  }

  findings(): readonly Finding[] {
    return [...this.#crowded(), ...this.#written()];
  }

  #crowded(): readonly Finding[] {
    const [first] = this.#byRows.list();
    if (first === undefined || this.#total < ROWS_LEAST) return [];
    const share = first.rows / this.#total;
    // A share equal to all others is not a finding: with three partitions each has a third.
    const isUneven = this.#partitions === 1 || share > 2 / this.#partitions;
    if (share <= SHARE || !isUneven) return [];
    return [
      {
        rule: 'hot-partition',
        says: `Partition ${JSON.stringify(first.partition)} has ${percent(share)} of the rows: one machine serves it, with up to ${TARGET_A_SECOND} entities a second.`,
        evidence: { PartitionKey: first.partition, rows: first.rows, of: this.#total, share },
        pattern: 'Begin the PartitionKey with a hash of a part of the key, and ask the parts at once.',
      },
    ];
  }

  #written(): readonly Finding[] {
    return this.#byPeak
      .list()
      .filter(({ peak }) => peak > WRITES_A_SECOND)
      .map(({ partition, peak }) => ({
        rule: 'hot-partition',
        says: `Partition ${JSON.stringify(partition)} took ${peak} writes in one second; its target is ${TARGET_A_SECOND}.`,
        evidence: { PartitionKey: partition, writesInOneSecond: peak, target: TARGET_A_SECOND },
        pattern: 'Spread the writes over several partitions, or gather them into transactions of 100.',
      }));
  }
}
