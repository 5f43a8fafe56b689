// The crash matrix of some cases, on every peer: a few crashes in `npm test`, a sample of all by the run's seed in `npm run verify patterns`, and all in `npm run verify patterns-matrix`. fast-check
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
import { CRASHES, type Crash, isDeath, type Plan } from './process.js';
import { runCase } from './run-case.js';
import type { Sent } from './stage.js';

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
const NOTHING_FAILS: Plan = { crashes: {}, isTwice: false };

/**
 * Of two crashes. A process that dies before a request leaves what one leaves that died after the request before, and a connection that breaks before a request makes it come later; so does one that breaks
 * after a request which changes nothing.
 */
const OF_TWO: readonly Crash[] = ['dies after', 'reset after'];

/** The plan, with one more crash at one of these requests. */
const crashedAt = (plan: Plan, sent: readonly Sent[], crashes: readonly Crash[]): readonly Plan[] =>
  sent.flatMap(({ label }) =>
    crashes.map(crash => ({ ...plan, crashes: { ...plan.crashes, [label]: crash } })),
  );

/** Every crash at each request of the program; if messages come twice, those of two. */
function singles(plan: Plan, sent: readonly Sent[]): readonly Plan[] {
  const own = sent.filter(({ label }) => label.startsWith('program.'));
  if (!plan.isTwice) return crashedAt(plan, own, CRASHES);
  const changes = own.filter(({ isChange }) => isChange);
  return crashedAt(plan, changes, OF_TWO);
}

/** The plans with another crash in what follows a first one, whose run went so: in the worker that takes over, or in the program if it lives. */
function doubles(plan: Plan, sent: readonly Sent[]): readonly Plan[] {
  const [first] = Object.entries(plan.crashes);
  if (plan.isTwice || first === undefined || !OF_TWO.includes(first[1])) return [];
  const at = sent.findIndex(({ label }) => label === first[0]);
  if (!sent[at]?.isChange) return [];
  const heir = isDeath(first[1]) ? 'worker.' : 'program.';
  const later = sent.slice(at + 1).filter(({ label, isChange }) => isChange && label.startsWith(heir));
  return crashedAt(plan, later, OF_TWO);
}

const filterOf = (title: string): string => `patterns/matrix/${title}`;

/** Runs a plan; a failure includes the command that repeats it. */
async function runPlan(peer: Peer, title: string, each: MatrixCase, plan: Plan): Promise<readonly Sent[]> {
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
  const run = (plan: Plan): Promise<readonly Sent[]> => {
    count++;
    return runPlan(peer, title, each, plan);
  };
  const chance = chanceOf(SEED);
  const plain = await run(NOTHING_FAILS);
  if (!isShort && !IS_LONG) return count;
  const isTwice = { ...NOTHING_FAILS, isTwice: true };
  const twice = await run(isTwice);
  const hasMessages = twice.length !== plain.length;
  const all = [...singles(NOTHING_FAILS, plain), ...(hasMessages ? singles(isTwice, twice) : [])];
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
  const given: readonly Plan[] =
    MATRIX_PLAN !== undefined
      ? [JSON.parse(MATRIX_PLAN) as Plan]
      : singles(NOTHING_FAILS, await runPlan(peer, title, each, NOTHING_FAILS)).filter(({ crashes }) =>
          Object.values(crashes).some(crash => crash === MATRIX_CRASH),
        );
  for (const plan of given) await runPlan(peer, title, each, plan);
}

const labels = fc
  .tuple(fc.constantFrom('program', 'worker', 'rival'), fc.nat({ max: 15 }))
  .map(([name, at]) => `${name}.${at}`);

/** Where processes fail, if they do. */
const plans: fc.Arbitrary<Plan> = fc.record({
  crashes: fc.dictionary(labels, fc.constantFrom(...CRASHES), { maxKeys: 3 }),
  isTwice: fc.boolean(),
});

/** By chance, of up to four or six requests each as often. */
const orders = fc.infiniteStream(fc.nat({ max: 11 }));

const runTogether = (peer: Peer, title: string, each: MatrixCase): Promise<void> =>
  lawOfTurns(
    fc.asyncProperty(orders, plans, async (turns, plan) => {
      const order = (waiting: number): number => Number(turns.next().value) % waiting;
      await runCase(peer, each, plan, { order, isBeside: true });
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
