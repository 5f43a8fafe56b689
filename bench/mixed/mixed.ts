// A mixed load at a fixed rate: requests are due whatever the server does, so a pause counts for every request that
// waited. Also while a large table is dropped and its space is reclaimed. mixed-report.ts prints it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobResult, Latency, RequestKind } from '../load/job.js';
import * as requests from '../load/requests.js';
import { median } from '../load/statistics.js';
import { isWatched, type Machine, watchMachine } from '../machine/machine-watch.js';
import { besideData } from '../machine/process-status.js';
import type { Span } from '../machine/span.js';
import { atMost, MIXED_P999_MILLISECONDS_MAX, type Verdict } from '../report/goals.js';
import { Arena, type ArenaOptions } from '../subjects/arena.js';
import { TABLE, type TableContestant } from '../subjects/table-contestant.js';
import { formatCount } from '../text-table.js';
import { type Undisturbed, undisturbedOf } from './disturbance.js';
import { type Alone, measureAlone } from './machine-alone.js';

export interface MixedOptions extends ArenaOptions {
  readonly rows: number;
  /** For the measurement of the peak: the median of this many runs of this many seconds. */
  readonly runs: number;
  readonly seconds: number;
  readonly minutes: number;
  /** Requests per second; a third of the peak by default. */
  readonly rate: number | undefined;
}

/** New rows go to a table of their own, so that ranges of the other one stay as they were loaded. */
const GROWING_TABLE = 'grown';
const DROPPED_TABLE = 'dropped';
/** Together 17, a prime that divides no number of rows in use: every kind falls on all rows. */
const GETS = 12;
const INSERTS = 2;
const MERGES = 2;
const RANGES = 1;
const STOCK = 150_000;
const PEAK_SHARE = 1 / 3;
const MEMORY_EVERY_MILLISECONDS = 1000;
const MINUTE_MILLISECONDS = 60_000;
const DROP_AFTER_MILLISECONDS = 1000;
const ALONE_MILLISECONDS = 30_000;

/** The kind of request, by how its answer is checked. */
const ASKED: Readonly<Record<string, string>> = {
  entity: 'point get',
  empty: 'insert, merge',
  range: 'range',
};

export interface UndisturbedLoad extends Undisturbed {
  /** By kind of request, if there were any. */
  readonly latencyOf: Readonly<Record<string, Latency>>;
  readonly verdict: Verdict | undefined;
}

export interface Phase {
  readonly name: string;
  readonly perSecond: number;
  readonly latency: Latency;
  /** By kind of request. */
  readonly latencyOf: Readonly<Record<string, Latency>>;
  /** Bytes other than the mapped data: first reading, highest, last. Zeros where the system does not report them. */
  readonly memory: readonly [first: number, highest: number, last: number];
  readonly verdict: Verdict;
  readonly machine: Machine;
  /** Absent if the machine was not watched. */
  readonly undisturbed?: UndisturbedLoad | undefined;
}

export interface Mixed {
  readonly rows: number;
  /** Measured first. */
  readonly alone: Alone;
  /** Requests per second in a closed loop; undefined if the rate was given. */
  readonly peak: number | undefined;
  readonly phases: readonly Phase[];
}

function mixOf({ endpoint }: TableContestant): readonly RequestKind[] {
  const get = requests.pointGet(endpoint, TABLE);
  const range = requests.range(endpoint, TABLE);
  const kinds = [
    ...Array.from({ length: INSERTS }, () => requests.insert(endpoint, GROWING_TABLE)),
    ...Array.from({ length: MERGES }, () => requests.merge(endpoint, TABLE, STOCK)),
    ...Array.from({ length: RANGES }, () => range),
  ];
  return [...kinds, ...Array.from({ length: GETS }, () => get)];
}

/** Other than the mapped data, once a second while `work` runs. */
async function withMemory<T>(
  server: TableContestant,
  work: Promise<T>,
): Promise<{ readonly result: T; readonly memory: Phase['memory'] }> {
  const readings: number[] = [];
  const read = (): void => {
    const memory = server.processes[0]?.memory();
    if (memory !== undefined) readings.push(besideData(memory));
  };
  read();
  const timer = setInterval(read, MEMORY_EVERY_MILLISECONDS);
  try {
    const result = await work;
    read();
    return { result, memory: [readings[0] ?? 0, Math.max(0, ...readings), readings.at(-1) ?? 0] };
  } finally {
    clearInterval(timer);
  }
}

interface Pace {
  readonly perSecond: number;
  readonly milliseconds: number;
}

const byAsked = (each: readonly (readonly [kind: string, latency: Latency])[]): Record<string, Latency> =>
  Object.fromEntries(each.map(([kind, latency]) => [ASKED[kind] ?? kind, latency]));

const judge = (latency: Latency): Verdict => atMost(latency.p999, MIXED_P999_MILLISECONDS_MAX, ' ms');

function undisturbedIn(
  { momentsOf }: JobResult,
  machine: Machine,
  disturbances: readonly Span[],
): Phase['undisturbed'] {
  if (momentsOf === undefined || !isWatched(machine)) return undefined;
  const undisturbed = undisturbedOf(Object.values(momentsOf), disturbances);
  const each = Object.entries(momentsOf).flatMap(([kind, moments]) => {
    const { latency } = undisturbedOf([moments], disturbances);
    return latency === undefined ? [] : [[kind, latency] as const];
  });
  const verdict = undisturbed.latency && judge(undisturbed.latency);
  return { ...undisturbed, latencyOf: byAsked(each), verdict };
}

async function phase(
  name: string,
  server: TableContestant,
  pace: Pace,
  meanwhile?: () => Promise<unknown>,
): Promise<Phase> {
  const work = async (): Promise<JobResult> => {
    const [result] = await Promise.all([server.job(mixOf(server), pace), meanwhile?.()]);
    return result;
  };
  const watched = await watchMachine(() => withMemory(server, work()));
  const { machine, disturbances } = watched;
  const { result, memory } = watched.result;
  return {
    name,
    perSecond: (result.completed * 1000) / result.milliseconds,
    latency: result.latency,
    latencyOf: byAsked(Object.entries(result.latencyOf ?? {})),
    memory,
    verdict: judge(result.latency),
    machine,
    undisturbed: undisturbedIn(result, machine, disturbances),
  };
}

async function startServer(options: MixedOptions): Promise<{ arena: Arena; server: TableContestant }> {
  const arena = new Arena(options.rows, options);
  const server = await arena.addShelfmark();
  await server.job([requests.createTable(server.endpoint, GROWING_TABLE)], { count: 1 });
  return { arena, server };
}

const closedLoop = (server: TableContestant, { seconds }: MixedOptions): Promise<JobResult> =>
  server.job(mixOf(server), { milliseconds: seconds * 1000 });

/** The median of several runs, because a shared machine is twice as fast in one moment as in the next. */
async function peakOf(server: TableContestant, options: MixedOptions): Promise<number> {
  const { runs, say } = options;
  const rates: number[] = [];
  for (let run = 0; run < runs; run++) {
    const { completed, milliseconds } = await closedLoop(server, options);
    rates.push((completed * 1000) / milliseconds);
  }
  const peak = median(rates);
  say(`peak of the mixed load: ${formatCount(peak)} per second`);
  return peak;
}

async function paceOf(
  server: TableContestant,
  options: MixedOptions,
): Promise<{ readonly peak: number | undefined; readonly pace: Pace }> {
  const milliseconds = options.minutes * MINUTE_MILLISECONDS;
  if (options.rate !== undefined) {
    // A cold server spends its first half second on compiling, and all its requests wait.
    await closedLoop(server, options);
    return { peak: undefined, pace: { perSecond: options.rate, milliseconds } };
  }
  const peak = await peakOf(server, options);
  return { peak, pace: { perSecond: peak * PEAK_SHARE, milliseconds } };
}

/** One phase of `minutes`. */
export async function measureMixed(options: MixedOptions): Promise<Mixed> {
  const alone = await measureAlone(options.directory, ALONE_MILLISECONDS);
  const { arena, server } = await startServer(options);
  const { peak, pace } = await paceOf(server, options);
  const phases = [await phase('mixed load', server, pace)];
  await arena.stop();
  return { rows: options.rows, alone, peak, phases };
}

/** Two phases of `minutes` each: as it is, and with a table of `droppedRows` rows dropped soon after it begins. */
export async function measureReclaim(droppedRows: number, options: MixedOptions): Promise<Mixed> {
  const alone = await measureAlone(options.directory, ALONE_MILLISECONDS);
  const { arena, server } = await startServer(options);
  await server.load(DROPPED_TABLE, droppedRows);
  options.say(`${formatCount(droppedRows)} rows to be dropped are loaded`);
  const { peak, pace } = await paceOf(server, options);
  const before = await phase('before the drop', server, pace);
  const drop = async (): Promise<void> => {
    await sleep(DROP_AFTER_MILLISECONDS);
    await server.job([requests.dropTable(server.endpoint, DROPPED_TABLE)], { first: 0, count: 1 });
  };
  const after = await phase(`${formatCount(droppedRows)} rows dropped`, server, pace, drop);
  await arena.stop();
  return { rows: options.rows, alone, peak, phases: [before, after] };
}
