// The crash matrix: an operation is run once to count its requests; then anew in a fresh store for each request and each way to fail there, and again with a second failure in what follows. After
// that other processes do what is left, and what must be true is checked: at every moment, and at the end. Indexes, lists and flows say what their operation is.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { FlowEvent } from '#patterns/flows';
import {
  CRASHES,
  type Crash,
  type CrashPoint,
  type Process,
  startProcess,
  textOf,
} from './crashing-client.js';
import type { Peer } from './peers.js';
import { chanceOf, SEED } from './seeded.js';

/** An operation, and what must be true of it however its processes end. */
export interface Scenario<W> {
  readonly name: string;
  /** A fresh store: tables, queues and rows. */
  prepare(peer: Peer, clean: Process): Promise<W>;
  /** What a program does. It may end anywhere. */
  run(world: W, program: Process): Promise<unknown>;
  /** What other programs do afterwards, or beside it. */
  meanwhile(world: W, clean: Process): Promise<void>;
  /** Begins to do what is left to do. */
  work(world: W, worker: Process, report: (event: FlowEvent) => void): { stop(): Promise<void> };
  /** Nothing is left to do. */
  isDrained(world: W, clean: Process): Promise<boolean>;
  /** Throws if what must be true at every moment is not. */
  watch?(world: W, clean: Process): Promise<void>;
  /** Throws if what must be true at the end is not. */
  check(world: W, clean: Process): Promise<void>;
}

/** Where the first program fails, and where the worker fails that does what it left. */
export interface Case {
  readonly first: CrashPoint | undefined;
  readonly second?: CrashPoint | undefined;
  readonly sendsTwice: boolean;
}

const caseText = ({ first, second, sendsTwice }: Case): string =>
  [first && textOf(first), second && `then ${textOf(second)}`, sendsTwice && 'each message twice']
    .filter(Boolean)
    .join(', ') || 'nothing fails';

const LOOK_MILLISECONDS = 100;
/** Looks count and not the time: a machine that was halted has lost time, and done nothing. */
const LOOKS_MAX = 400;

async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; !(await isSo()); looks++) {
    assert(looks < LOOKS_MAX, `Not in ${LOOKS_MAX} looks: ${what}`);
    await pause(LOOK_MILLISECONDS);
  }
}

/** Looks at what must be true at every moment, until it is told to end. */
function watching<W>(scenario: Scenario<W>, world: W, clean: Process) {
  let isOver = false;
  let failure: unknown;
  const running = (async () => {
    while (!isOver && failure === undefined) {
      await scenario.watch?.(world, clean).catch((thrown: unknown) => {
        failure = thrown;
      });
      await pause(20);
    }
  })();
  return async (): Promise<void> => {
    isOver = true;
    await running;
    if (failure !== undefined) throw failure;
  };
}

/** What a program does, up to its end: one that dies or stalls is left to itself. */
async function lived<W>(
  scenario: Scenario<W>,
  world: W,
  program: Process,
  clean: Process,
  report: (event: FlowEvent) => void,
) {
  let worker: ReturnType<Scenario<W>['work']> | undefined;
  const life = (async () => {
    await scenario.run(world, program).catch((thrown: unknown) => {
      // After a reset it may well be told; the process goes on.
      if (!program.client.isDead && process.env.CRASH_DEBUG) console.error(thrown);
    });
    if (program.client.isDead) return;
    worker = scenario.work(world, program, report);
    await eventually(
      'the program drains its queue',
      async () => program.client.isDead || scenario.isDrained(world, clean),
    );
  })();
  // Of a stalled program the end is awaited later.
  life.catch(() => undefined);
  await Promise.race([life, program.client.crashed]);
  return async (): Promise<void> => {
    await life;
    await worker?.stop();
  };
}

/** What is promised of stalls holds for shorter ones than the times for which scenarios keep messages. A machine that was halted makes longer ones. */
const HELD_MILLISECONDS_MAX = 2_000;
const BEAT_MILLISECONDS = 100;
const HALT_MILLISECONDS = 1_000;
const HALTS_MAX = 5;

/** Notices when this process stood still. */
function heartbeat(): { wasHalted(): boolean; end(): void } {
  let [last, isHalted] = [Date.now(), false];
  const beat = (): void => {
    const now = Date.now();
    if (now - last > HALT_MILLISECONDS) isHalted = true;
    last = now;
  };
  const timer = setInterval(beat, BEAT_MILLISECONDS);
  return {
    wasHalted: () => {
      beat();
      return isHalted;
    },
    end: () => clearInterval(timer),
  };
}

/** Runs one case. Gives the number of requests that its program sent. */
export async function runCase<W>(peer: Peer, scenario: Scenario<W>, each: Case): Promise<number> {
  for (let halts = 0; ; halts++) {
    const processes: Process[] = [];
    const heart = heartbeat();
    try {
      return await tryCase(peer, scenario, each, processes);
    } catch (thrown) {
      const isHalted =
        heart.wasHalted() || processes.some(({ client }) => client.heldFor > HELD_MILLISECONDS_MAX);
      if (!isHalted || halts >= HALTS_MAX) throw thrown;
    } finally {
      heart.end();
    }
  }
}

async function tryCase<W>(
  peer: Peer,
  scenario: Scenario<W>,
  each: Case,
  processes: Process[],
): Promise<number> {
  const clean = startProcess(peer);
  const world = await scenario.prepare(peer, clean);
  const program = startProcess(peer, each.first, each.sendsTwice);
  const workers = [startProcess(peer, each.second), startProcess(peer)];
  processes.push(program, ...workers);
  const endWatch = watching(scenario, world, clean);
  const events: string[] = [];
  const endings: (() => Promise<unknown>)[] = [];
  let isTakenOver = false;
  const report = (event: FlowEvent): void => {
    if (event.kind !== 'noted') events.push(`${event.kind}${'error' in event ? ` ${event.error}` : ''}`);
    // Of a write that is waited for there is nothing else to see; it must come within the grace period.
    if (event.kind === 'second look' || event.kind === 'pending') isTakenOver = true;
  };
  try {
    const ended = await lived(scenario, world, program, clean, report);
    endings.push(ended);
    await scenario.meanwhile(world, clean);
    // A program that lives takes over from workers, too.
    isTakenOver = false;
    const stops = workers.map(worker => scenario.work(world, worker, report));
    endings.push(...stops.map(worker => () => worker.stop()));
    const isDrained = (): Promise<boolean> => scenario.isDrained(world, clean);
    // A program that stalls goes on when others have done its work, or nothing of it is to be seen.
    await eventually('others take over', async () => isTakenOver || isDrained());
    program.client.release();
    for (const worker of workers) worker.client.release();
    await ended();
    await eventually('workers drain the queue', isDrained);
    for (const worker of stops) await worker.stop();
    await endWatch();
    await scenario.check(world, clean);
  } catch (thrown) {
    for (const { client } of processes) {
      client.isDead = true;
      client.release();
    }
    for (const end of endings) end().catch(() => undefined);
    await endWatch().catch(() => undefined);
    const place = each.first && program.client.requests[each.first.at];
    throw new Error(
      `${scenario.name}: ${caseText(each)}${place === undefined ? '' : ` (${place})`}. Events: ${events.join('; ')}. Seed ${SEED}. ${thrown}`,
      { cause: thrown },
    );
  }
  return program.client.count;
}

/** So many cases at a time: they wait for visibility more than they work. */
const CONCURRENCY = 24;

export async function runAll<W>(peer: Peer, scenario: Scenario<W>, cases: readonly Case[]): Promise<void> {
  const left = [...cases];
  const failures: unknown[] = [];
  const runners = Array.from({ length: CONCURRENCY }, async () => {
    for (let each = left.shift(); each !== undefined && failures.length === 0; each = left.shift())
      await runCase(peer, scenario, each).catch((thrown: unknown) => void failures.push(thrown));
  });
  await Promise.all(runners);
  if (failures.length > 0) throw failures[0];
}

/** The ways to fail that `npm test` has time for, one at each request in turn. */
const SHORT: readonly Crash[] = ['dies after', 'stalls and dies', 'lags', 'dies before'];

const pointsOf = (requests: number, crashes: readonly Crash[]): readonly CrashPoint[] =>
  Array.from({ length: requests }, (_, at) => crashes.map(crash => ({ at, crash }))).flat();

/** Requests up to which each also lags. */
const FEW_REQUESTS = 20;

/** One crash at each request, and where there are few, another. */
export function fewCases(requests: number): readonly Case[] {
  const all = pointsOf(requests, SHORT);
  const chosen = all.filter(
    ({ at, crash }) => SHORT[at % SHORT.length] === crash || (requests <= FEW_REQUESTS && crash === 'lags'),
  );
  return chosen.map((first, index) => ({ first, sendsTwice: index % 8 >= 4 }));
}

/** Second crashes behind each first one. Their number is the square of that of first ones, so that chance takes some. */
const SECONDS = 3;

/** All crashes at each request, each with every message once and twice, and some of them with a second crash in what follows. */
export function allCases(requests: number): readonly Case[] {
  const chance = chanceOf(SEED);
  const seconds = pointsOf(requests + 2, CRASHES);
  return pointsOf(requests, CRASHES).flatMap(first => [
    { first, sendsTwice: false },
    { first, sendsTwice: true },
    ...Array.from({ length: SECONDS }, () => ({
      first,
      second: seconds[Math.floor(chance() * seconds.length)],
      sendsTwice: chance() < 0.5,
    })),
  ]);
}

/** The matrix of a scenario. Throws for the first case that fails, and gives their number. */
export async function runMatrix<W>(
  peer: Peer,
  scenario: Scenario<W>,
  casesOf: (requests: number) => readonly Case[],
): Promise<number> {
  const requests = await runCase(peer, scenario, { first: undefined, sendsTwice: false });
  const cases = casesOf(requests);
  await runAll(peer, scenario, cases);
  return cases.length;
}

const SOME = 40;

/** A part of all cases, by chance. */
export function someCases(requests: number): readonly Case[] {
  const all = allCases(requests);
  const chance = chanceOf(SEED);
  return all.filter(() => chance() < SOME / all.length);
}

const { SHELFMARK_LONG, PATTERN_FULL } = process.env;

/** What there is time for: in `npm test`, in CI, or at length. */
export const casesHere =
  SHELFMARK_LONG === undefined ? fewCases : PATTERN_FULL === undefined ? someCases : allCases;

/** Every request with one kind of crash. */
export const casesWith =
  (crash: Crash) =>
  (requests: number): readonly Case[] =>
    pointsOf(requests, [crash]).map(first => ({ first, sendsTwice: false }));
