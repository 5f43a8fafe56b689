// One run, in rounds: in each, clients work while something fails, and are judged when it is over.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Draw, drawFrom } from '../../random/arbitrary.js';
import { TooManyExplanations } from '../../simulation/judge/linearize.js';
import { FRONT_ENDS, World } from './cluster/world.js';
import { type Fault, kindOf, planOf, type Round, showRound } from './plan.js';
import type { PlantName } from './planted/plants.js';
import { Pace, type Waits } from './work/pace.js';
import { makeTable, Work } from './work/work.js';

/** Before a round's first fault, and after its last has ended. */
const QUIET_MS = 2000;
/** Share of a run's time: a single front end reads otherwise than several do (store-cassandra/commit/fences.ts). */
const ALONE_SHARE = 0.25;
/** Longer than any node works on a request. */
const SETTLED_MS = 5000;

export interface RunOptions {
  readonly seed: number;
  readonly minutes: number;
  readonly nodes: number;
  /** The only kind of rounds, if there is one. */
  readonly kind?: string | undefined;
  readonly directory: string;
  readonly first: number;
  readonly plant?: PlantName | undefined;
  readonly say: (line: string) => void;
}

export interface Told extends Waits {
  readonly kind: string;
  readonly isOfOneNode: boolean;
  /** While it lasted. */
  readonly during: Waits;
  /** So many answers were lost that a judge could not try all orders, and the others found nothing. */
  readonly isUndecided: boolean;
}

/** What is wrong, in a round. */
export class Faults extends Error {
  readonly journal: string;

  constructor(faults: readonly string[], journal: string) {
    super(faults.slice(0, 10).join('\n'));
    this.journal = journal;
  }
}

const needsNetwork = ({ faults }: Round): boolean =>
  faults.some(({ fault: { kind } }) => kind === 'cut off' || kind === 'separate');
const killsFrontEnd = ({ faults }: Round): boolean =>
  faults.some(({ fault: { kind } }) => kind === 'kill a front end');
const sum = (a: Waits, b: Waits): Waits => ({
  writes: a.writes + b.writes,
  unclear: a.unclear + b.unclear,
  gap: Math.max(a.gap, b.gap),
  longest: Math.max(a.longest, b.longest),
});

async function fail(world: World, { faults, hold }: Round): Promise<void> {
  const start = performance.now();
  const begun: Fault[] = [];
  try {
    for (const { fault, after } of faults) {
      await sleep(Math.max(0, after - (performance.now() - start)));
      begun.push(fault);
      await world.begin(fault);
    }
    await sleep(Math.max(0, hold - (performance.now() - start)));
  } finally {
    for (const fault of begun.filter(({ kind }) => kind !== 'kill' && kind !== 'kill a front end'))
      await world.end(fault);
  }
}

/** Starts again what was killed. */
async function mend(world: World, { faults }: Round): Promise<void> {
  for (const { fault } of faults)
    if (fault.kind === 'kill' || fault.kind === 'kill a front end') await world.end(fault);
}

/** `begun` runs while clients work, before anything fails. */
async function runRound(
  world: World,
  draw: Draw,
  { number, round, begun }: { number: number; round: Round; begun: () => Promise<void> },
): Promise<Told> {
  const pace = new Pace();
  const work = new Work({ round: number, frontEnds: world.frontEnds, draw, pace });
  await work.begin();
  await begun();
  await sleep(QUIET_MS);
  const before = pace.take();
  let during: Waits;
  try {
    await fail(world, round);
    during = pace.take();
    await mend(world, round);
    await sleep(QUIET_MS);
  } finally {
    await work.end();
  }
  const all = sum(before, sum(during, pace.take()));
  await sleep(SETTLED_MS);
  const faults = await work.judge().catch((error: unknown) => {
    if (error instanceof TooManyExplanations) return undefined;
    throw error;
  });
  if (faults !== undefined && faults.length > 0) throw new Faults(faults, work.journal.text());
  const isUndecided = faults === undefined;
  return { ...all, during, kind: kindOf(round), isOfOneNode: round.isOfOneNode, isUndecided };
}

/** Throws at the first round in which something is wrong. */
export async function run(options: RunOptions): Promise<readonly Told[]> {
  const { seed, minutes, directory, first, say } = options;
  const draw = drawFrom(seed);
  const nodes = Array.from({ length: options.nodes }, (_, at) => at + 1);
  const plan = planOf({ nodes, frontEnds: FRONT_ENDS }, drawFrom(seed));
  const world = new World({
    nodes,
    directory,
    first,
    draw,
    plant: options.plant,
  });
  if (!world.hasNetwork) say('No network namespaces can be made here: nodes are not cut off.');
  const told: Told[] = [];
  try {
    await world.start();
    const start = performance.now();
    const until = start + minutes * 60_000;
    const aloneUntil = options.kind === undefined ? start + minutes * 60_000 * ALONE_SHARE : start;
    await makeTable(world.frontEnds);
    for (let number = 1; performance.now() < until; ) {
      const { value: round } = plan.next();
      if (round === undefined || (needsNetwork(round) && !world.hasNetwork)) continue;
      if (options.kind !== undefined && kindOf(round) !== options.kind) continue;
      const isAlone = performance.now() < aloneUntil;
      if (isAlone && killsFrontEnd(round)) continue;
      say(`${number}: ${showRound(round)}`);
      const begun = (): Promise<void> => (isAlone ? Promise.resolve() : world.join());
      const one = await runRound(world, draw, { number: number++, round, begun });
      told.push(one);
      const { writes, unclear, during, isUndecided } = one;
      if (isUndecided) say('   Undecided: so many answers were lost that a judge gave up.');
      say(
        `   ${writes} writes acknowledged, ${unclear} answers unclear; meanwhile no write was answered for ${seconds(during.gap)}, one call waited ${seconds(during.longest)}`,
      );
    }
    return told;
  } finally {
    await world.stop();
  }
}

export const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;
