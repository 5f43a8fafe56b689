// One run: rounds, in each of which clients work while something fails, and are judged when it is over.
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../simulation/plan/random.js';
import { FRONT_ENDS, NODES, World } from './cluster/world.js';
import { type Fault, kindOf, planOf, type Round, showRound } from './plan.js';
import { Pace, type Waits } from './work/pace.js';
import { makeContainers, Work } from './work/work.js';

/** Before a round's first fault, and after its last has ended. */
const QUIET_MS = 2000;
/** Longer than a request is worked on by any node. */
const SETTLED_MS = 5000;

export interface RunOptions {
  readonly seed: number;
  readonly minutes: number;
  readonly directory: string;
  readonly first: number;
  readonly settings: Readonly<Record<string, string>>;
  readonly options: string;
  readonly say: (line: string) => void;
}

export interface Told extends Waits {
  readonly kind: string;
  readonly isOfOneNode: boolean;
  /** While it lasted. */
  readonly during: Waits;
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

async function runRound(world: World, random: Random, number: number, round: Round): Promise<Told> {
  const pace = new Pace();
  const work = new Work({ round: number, frontEnds: world.frontEnds, random, pace });
  await work.begin();
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
  const faults = await work.judge();
  if (faults.length > 0) throw new Faults(faults, work.journal.text());
  return { ...all, during, kind: kindOf(round), isOfOneNode: round.isOfOneNode };
}

/** Throws at the first round in which something is wrong. */
export async function run(options: RunOptions): Promise<readonly Told[]> {
  const { seed, minutes, directory, first, settings, say } = options;
  const random = new Random(seed);
  const plan = planOf({ random: new Random(seed), nodes: NODES, frontEnds: FRONT_ENDS });
  const world = new World({ directory, first, random, settings, options: options.options });
  if (!world.hasNetwork) say('No network namespaces can be made here: nodes are not cut off.');
  const told: Told[] = [];
  try {
    await world.start();
    const until = performance.now() + minutes * 60_000;
    await makeContainers({ frontEnds: world.frontEnds, random, pace: new Pace() });
    for (let number = 1; performance.now() < until; number++) {
      const { value: round } = plan.next();
      if (round === undefined || (needsNetwork(round) && !world.hasNetwork)) continue;
      say(`${number}: ${showRound(round)}`);
      const one = await runRound(world, random, number, round);
      told.push(one);
      const { writes, unclear, during } = one;
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
