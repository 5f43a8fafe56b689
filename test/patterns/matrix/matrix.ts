// The crash matrix of some cases, on every peer: a few crashes in `npm test`, a sample of all by the run's seed in `npm run verify patterns`, and all in `npm run verify patterns-matrix`. fast-check's scheduler
// interleaves two concurrent writers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { allInOrder } from '../../../packages/patterns/concurrency/in-order.js';
import { lawOfTurns } from '../../../packages/patterns/testing/law.js';
import { onlyIn } from '../../support/slow.js';
import { describePeers, type Peer } from '../support/peers.js';
import { chanceOf, SEED } from '../support/seeded.js';
import type { MatrixCase } from './case.js';
import { CRASHES, type Crash, type CrashPoint, isDeath } from './process.js';
import { type Plan, type Ran, runCase } from './run-case.js';
import type { Order } from './stage.js';

const { SHELFMARK_LONG, PATTERN_FULL, MATRIX_CASE, MATRIX_PLAN, MATRIX_CRASH, MATRIX_SAMPLED, MATRIX_SHARE } =
  process.env;
const IS_LONG = SHELFMARK_LONG !== undefined;
const IS_FULL = PATTERN_FULL !== undefined;

/** Runs at a time: servers of their own are waited for. */
const SOME = { concurrency: 4 } as const;
/** Of a case, in `npm run verify patterns`. Each is run with one crash, and then with another. */
const SAMPLED = Number(MATRIX_SAMPLED ?? 4);
/** In a full run, one first crash in this many is followed by every second crash. */
const FULL_SHARE: Readonly<Record<Peer['name'], number>> = { memory: 1, process: 4, azurite: 4 };
const NOTHING_FAILS: Plan = { program: [], worker: [], isTwice: false };

/**
 * Of two crashes. A process that dies before a request leaves what one leaves that died after the request before, and a connection that breaks before a request makes it come later; so does one that breaks
 * after a request which changes nothing.
 */
const OF_TWO: readonly Crash[] = ['dies after', 'reset after'];

const pointsOf = (
  requests: readonly boolean[],
  from: number,
  crashes: readonly Crash[],
): readonly CrashPoint[] =>
  [...requests.keys()].filter(at => at >= from).flatMap(at => crashes.map(crash => ({ at, crash })));

/** Every crash at each request of the program; if messages come twice, those of two. */
const singles = ({ program }: Ran, isTwice: boolean): readonly Plan[] =>
  pointsOf(program, 0, isTwice ? OF_TWO : CRASHES)
    .filter(({ at }) => !isTwice || program[at])
    .map(point => ({ program: [point], worker: [], isTwice }));

/** The plans with another crash in what follows a first one, whose run went so: in the worker that takes over, or in the program if it lives. */
function doubles({ isTwice, program: [first] }: Plan, ran: Ran): readonly Plan[] {
  if (isTwice || first === undefined || !OF_TWO.includes(first.crash) || !ran.program[first.at]) return [];
  if (!isDeath(first.crash))
    return pointsOf(ran.program, first.at + 1, OF_TWO)
      .filter(({ at }) => ran.program[at])
      .map(each => ({ program: [first, each], worker: [], isTwice }));
  return pointsOf(ran.worker, 0, OF_TWO)
    .filter(({ at }) => ran.worker[at])
    .map(each => ({ program: [first], worker: [each], isTwice }));
}

/** As the scheduler has it, which shrinks and repeats it. */
function byScheduler(scheduler: fc.Scheduler): Order {
  const scheduled = new Set<unknown>();
  let chosen: unknown;
  return async waiting => {
    for (const each of waiting.filter(request => !scheduled.has(request))) {
      scheduled.add(each);
      void scheduler.schedule(Promise.resolve(), each.label).then(() => {
        chosen = each;
      });
    }
    await scheduler.waitNext(1);
    return waiting.find(each => each === chosen);
  };
}

const filterOf = (title: string): string => `patterns/matrix/${title}`;

/** Runs a plan; a failure includes the command that repeats it. */
async function runPlan(peer: Peer, title: string, each: MatrixCase, plan: Plan): Promise<Ran> {
  try {
    return await runCase(peer, each, plan);
  } catch (thrown) {
    const command = `SHELFMARK_PEERS=${peer.name} SHELFMARK_SEED=${SEED} MATRIX_CASE='${each.name}' MATRIX_PLAN='${JSON.stringify(plan)}' node dist/tools/run-tests.js ${filterOf(title)}`;
    throw new Error(`${thrown instanceof Error ? thrown.message : thrown}\nRepeat it: ${command}`, {
      cause: thrown,
    });
  }
}

/** Some of them, by the run's seed. */
function sample<T>(items: readonly T[], count: number, chance: () => number): readonly T[] {
  const left = [...items];
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const [taken] = left.splice(Math.floor(chance() * left.length), 1);
    return taken as T;
  });
}

/** All plans of a case, or as many as there is time for: of a long one in `npm test`, that in which nothing fails. Gives how many were run. */
async function runMatrix(peer: Peer, title: string, each: MatrixCase, isShort: boolean): Promise<number> {
  let count = 0;
  const run = (plan: Plan): Promise<Ran> => {
    count++;
    return runPlan(peer, title, each, plan);
  };
  const chance = chanceOf(SEED);
  const plain = await run(NOTHING_FAILS);
  if (!isShort && !IS_LONG) return count;
  const twice = await run({ ...NOTHING_FAILS, isTwice: true });
  const hasMessages = twice.program.length !== plain.program.length;
  const all = [...singles(plain, false), ...(hasMessages ? singles(twice, true) : [])];
  const chosen = IS_FULL ? all : sample(all, IS_LONG ? SAMPLED : 1, chance);
  const share = Number(MATRIX_SHARE ?? FULL_SHARE[peer.name]);
  // All first crashes come before any second one: a run that is stopped has done the wider part.
  const pairs: Plan[] = [];
  const firsts = chosen.map(plan => ({ plan, isWhole: IS_FULL && chance() * share < 1 }));
  await allInOrder(firsts, SOME, async ({ plan, isWhole }) => {
    const seconds = doubles(plan, await run(plan));
    pairs.push(...(isWhole ? seconds : sample(seconds, IS_LONG ? 1 : 0, chance)));
  });
  await allInOrder(pairs, SOME, run);
  return count;
}

/** The plan that the environment has, or one crash of its kind at each request. */
async function runGiven(peer: Peer, title: string, each: MatrixCase): Promise<void> {
  const plain = NOTHING_FAILS;
  const given: readonly Plan[] =
    MATRIX_PLAN !== undefined
      ? [JSON.parse(MATRIX_PLAN) as Plan]
      : singles(await runPlan(peer, title, each, plain), false).filter(
          ({ program: [point] }) => point?.crash === MATRIX_CRASH,
        );
  for (const plan of given) await runPlan(peer, title, each, plan);
}

const point: fc.Arbitrary<readonly CrashPoint[]> = fc
  .option(fc.record({ at: fc.nat({ max: 15 }), crash: fc.constantFrom(...CRASHES) }), { nil: undefined })
  .map(each => (each === undefined ? [] : [each]));

/** Where each of three processes fails, if it does. */
const plans: fc.Arbitrary<Plan> = fc.record({
  program: point,
  worker: point,
  rival: point,
  isTwice: fc.boolean(),
});

const runTogether = (peer: Peer, title: string, each: MatrixCase): Promise<void> =>
  lawOfTurns(
    fc.asyncProperty(fc.scheduler(), plans, async (scheduler, plan) => {
      await runCase(peer, each, plan, { order: byScheduler(scheduler), isBeside: true });
    }),
    { cost: 20_000, most: peer.name === 'memory' ? 300 : 30, filter: filterOf(title) },
  );

/** Declares the tests of these cases, in a file `title`.test.ts. */
export function crashMatrix(title: string, cases: readonly MatrixCase[]): void {
  const wanted = cases.filter(({ name }) => name === (MATRIX_CASE ?? name));
  describePeers(`the crash matrix of ${title}`, peer => {
    for (const each of wanted) {
      const isShort = each === wanted[0] || MATRIX_CASE !== undefined;
      const lacks = each.notOn === peer.name && 'it takes minutes there';
      const skip = lacks || (!isShort && onlyIn('patterns'));
      if (MATRIX_PLAN !== undefined || MATRIX_CRASH !== undefined) {
        test(each.name, { skip }, () => runGiven(peer, title, each));
        continue;
      }
      test(`${each.name}, killed anywhere`, { skip: lacks }, async t => {
        const count = await runMatrix(peer, title, each, isShort);
        t.diagnostic(`${count} runs`);
        assert(count > 2 || (!isShort && !IS_LONG));
      });
      test(`${each.name}, beside others`, { skip }, () => runTogether(peer, title, each));
    }
  });
}
