// Keys that grow with time, so that all writes go to the partition at one end of the table: the guide's prepend/append
// anti-pattern. Detected from the order of partitions and the order of their last writes, by the correlation of their
// ranks (Spearman's ρ).
import { compareText, type Row } from '../line/row.js';
import type { Finding, Rule } from './finding.js';

const PARTITIONS_LEAST = 20;
/** Partitions that are kept: beyond, every second one is dropped, and so on. */
const PARTITIONS_MAX = 10_000;
const CORRELATION = 0.9;

/** Ranks from 0, those of equal values averaged. */
function ranksOf(values: readonly string[]): readonly number[] {
  const order = values.map((_, i) => i).sort((a, b) => compareText(values[a] ?? '', values[b] ?? ''));
  const ranks = new Array<number>(values.length).fill(0);
  for (let from = 0; from < order.length; ) {
    let until = from + 1;
    while (until < order.length && values[order[until] ?? 0] === values[order[from] ?? 0]) until++;
    for (let i = from; i < until; i++) ranks[order[i] ?? 0] = (from + until - 1) / 2;
    from = until;
  }
  return ranks;
}

/** For values in the order of their places: 1 if they rise, -1 if they fall; 0 if all values are equal. */
function rankCorrelation(values: readonly string[]): number {
  const ranks = ranksOf(values);
  const mean = (values.length - 1) / 2;
  let [both, ofPlaces, ofRanks] = [0, 0, 0];
  for (const [place, rank] of ranks.entries()) {
    both += (place - mean) * (rank - mean);
    ofPlaces += (place - mean) ** 2;
    ofRanks += (rank - mean) ** 2;
  }
  return ofRanks === 0 ? 0 : both / Math.sqrt(ofPlaces * ofRanks);
}

export class AppendOnly implements Rule {
  #lastWrites: string[] = [];
  #step = 1;
  #partitions = 0;
  #lastWrite = '';

  add({ timestamp }: Row): void {
    if (timestamp !== undefined && timestamp > this.#lastWrite) this.#lastWrite = timestamp;
  }

  end(): void {
    if (this.#partitions++ % this.#step === 0) this.#lastWrites.push(this.#lastWrite);
    this.#lastWrite = '';
    if (this.#lastWrites.length <= PARTITIONS_MAX) return;
    this.#lastWrites = this.#lastWrites.filter((_, i) => i % 2 === 0);
    this.#step *= 2;
  }

  findings(): readonly Finding[] {
    if (this.#lastWrites.length < PARTITIONS_LEAST) return [];
    const correlation = rankCorrelation(this.#lastWrites);
    if (Math.abs(correlation) <= CORRELATION) return [];
    const end = correlation > 0 ? 'last' : 'first';
    const rounded = Math.round(correlation * 100) / 100;
    return [
      {
        rule: 'append-only',
        says: `PartitionKeys follow the time of writing (rank correlation ${rounded} over ${this.#partitions} partitions): all writes go to the ${end} partition.`,
        evidence: { correlation: rounded, partitions: this.#partitions, end },
        pattern:
          'Prepend/append anti-pattern: begin the PartitionKey with a hash or another part that spreads; for logs, append to blobs.',
      },
    ];
  }
}
