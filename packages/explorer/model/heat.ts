// The heat map of a table: ranges of PartitionKeys against time, the hottest keys, and advice about what they show.

/** The counts of a partition in each slot of time, the newest last. */
export interface PartitionHeat {
  readonly partition: string;
  readonly requests: readonly number[];
  readonly rows: readonly number[];
  readonly bytes: readonly number[];
}

export type Measure = 'requests' | 'rows' | 'bytes';

/** As in server/observe/partition-counters.ts. */
export const SLOT_SECONDS = 10;

export interface HeatRange {
  readonly first: string;
  readonly last: string;
  readonly partitions: number;
  readonly counts: readonly number[];
}

const RANGES_MAX = 24;
/** Azure's target for one partition: docs/patterns/hot-partitions.md. */
const PER_SECOND_MAX = 2_000;
/** Slots in which something was written, before their order says anything. */
const APPENDS_MIN = 4;

export const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** Neighbouring partitions together, so that there are at most so many ranges. @param heat in the order of keys. */
export function rangesOf(heat: readonly PartitionHeat[], measure: Measure): readonly HeatRange[] {
  const size = Math.max(1, Math.ceil(heat.length / RANGES_MAX));
  const ranges: HeatRange[] = [];
  for (let start = 0; start < heat.length; start += size) {
    const group = heat.slice(start, start + size);
    const slots = group[0]?.[measure].length ?? 0;
    ranges.push({
      first: group[0]?.partition ?? '',
      last: group.at(-1)?.partition ?? '',
      partitions: group.length,
      counts: Array.from({ length: slots }, (_, at) => sumOf(group.map(each => each[measure][at] ?? 0))),
    });
  }
  return ranges;
}

/** The busiest partitions, the busiest first. */
export const hottestOf = (
  heat: readonly PartitionHeat[],
  measure: Measure,
  count: number,
): readonly PartitionHeat[] =>
  heat
    .filter(each => sumOf(each[measure]) > 0)
    .sort((one, other) => sumOf(other[measure]) - sumOf(one[measure]))
    .slice(0, count);

/** The partition that took the most writes in each slot that had any, in the order of time. */
function writtenMost(heat: readonly PartitionHeat[]): readonly string[] {
  const slots = heat[0]?.rows.length ?? 0;
  return Array.from({ length: slots }, (_, at) => {
    const [most] = [...heat].sort((one, other) => (other.rows[at] ?? 0) - (one.rows[at] ?? 0));
    return (most?.rows[at] ?? 0) > 0 ? most?.partition : undefined;
  }).filter(each => each !== undefined);
}

export function adviceOf(heat: readonly PartitionHeat[]): readonly string[] {
  const advice: string[] = [];
  for (const { partition, rows, requests } of heat) {
    const most = Math.max(...rows, ...requests) / SLOT_SECONDS;
    if (most > PER_SECOND_MAX)
      advice.push(
        `Partition ${JSON.stringify(partition)} took ${Math.round(most).toLocaleString('en-US')} entities a second. Azure’s target for one partition is 2,000: spread it over several, by a hash or a bucket in its PartitionKey.`,
      );
  }
  const written = writtenMost(heat);
  const isRising = written.every((key, at) => at === 0 || key >= (written[at - 1] ?? ''));
  if (written.length >= APPENDS_MIN && isRising && new Set(written).size >= APPENDS_MIN - 1)
    advice.push(
      'Each new PartitionKey is greater than the ones before, so all writes go to the end of the table (append only). A hash or a bucket before the time spreads them.',
    );
  return advice;
}
