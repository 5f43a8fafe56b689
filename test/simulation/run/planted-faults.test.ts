// The simulation finds planted faults, each within a few seeds, and nothing in stores without one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Action, isQueueAction } from '../plan/step.js';
import { planOf } from '../plan/workload.js';
import { honest, QUEUE_FAULTS, TABLE_FAULTS } from './planted-faults.js';
import { runPlan } from './run.js';
import type { Plant } from './subject.js';

const SEEDS_MAX = 100;

interface Found {
  readonly seed: number;
  readonly text: string;
}

/** What is wrong with a seed, without what only an engine with files can do; undefined if nothing is. */
async function failureOf(
  seed: number,
  plant: Plant,
  isWanted: (action: Action) => boolean,
): Promise<string | undefined> {
  const plan = planOf(seed);
  const steps = plan.steps.filter(
    ({ action }) => action.kind !== 'reopen' && action.kind !== 'crash' && isWanted(action),
  );
  const { failure } = await runPlan({ ...plan, engine: 'memory', steps }, plant);
  return failure?.message;
}

/** The first seed that fails; undefined if none does. */
async function firstFailure(
  plant: Plant,
  seedsMax: number,
  isWanted: (action: Action) => boolean,
): Promise<Found | undefined> {
  for (let seed = 1; seed <= seedsMax; seed += 1) {
    const text = await failureOf(seed, plant, isWanted);
    if (text !== undefined) return { seed, text };
  }
  return undefined;
}

const isTableAction = (action: Action): boolean => !isQueueAction(action);

for (const [faults, isWanted] of [
  [TABLE_FAULTS, isTableAction],
  [QUEUE_FAULTS, isQueueAction],
] as const) {
  for (const [name, { plant, finding }] of Object.entries(faults)) {
    test(`found: ${name}`, async t => {
      const found = await firstFailure(plant, SEEDS_MAX, isWanted);
      assert(found, `Not within ${SEEDS_MAX} seeds.`);
      for (const said of finding) assert.match(found.text, said);
      assert.equal(await failureOf(found.seed, honest, isWanted), undefined, 'without the fault');
      t.diagnostic(`Seed ${found.seed} finds it.`);
    });
  }
}

test('nothing is found in a store without planted faults, nor in one whose calls are only passed on', async () => {
  assert.equal(
    await firstFailure(
      store => store,
      20,
      () => true,
    ),
    undefined,
  );
  assert.equal(await firstFailure(honest, 20, () => true), undefined);
});
