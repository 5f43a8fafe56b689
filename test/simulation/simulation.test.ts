// Sixteen seeds of the simulation, which cover every engine with every kind of fault, and the answers that these must
// reach. `npm run verify simulation` runs a thousand.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { planOf } from './plan/workload.js';
import { simulate } from './simulate.js';

const SEEDS = 16;
/** The outcome of a call during a crash depends on the disk: more seeds are run if one of these is not reached. */
const SEEDS_MAX = 4 * SEEDS;
const outcomes = new Map<string, number>();

/** By their texts in simulate.ts; each is part of what the simulation must check. */
const REACHED = [
  'createTable 201',
  'createTable 409 TableAlreadyExists',
  'deleteTable 204',
  'deleteTable 404 ResourceNotFound',
  'get 200',
  'get 404 ResourceNotFound',
  'getAcl 200',
  'getSettings 200',
  'page 200',
  'page 200 and more',
  'page 404 TableNotFound',
  'queryTables 200',
  'queryTables 200 and more',
  'queue clear 204',
  'queue createQueue 201',
  'queue createQueue 204',
  'queue delete 204',
  'queue delete 400 PopReceiptMismatch',
  'queue delete 404 MessageNotFound',
  'queue deleteQueue 204',
  'queue get 200',
  'queue get 200 empty',
  'queue get 404 QueueNotFound',
  'queue get unknown',
  'queue peek 200',
  'queue put 201',
  'queue put unknown',
  'queue update 204',
  'queue update 400 PopReceiptMismatch',
  'setAcl 204',
  'setSettings 202',
  'transaction 202',
  'transaction 400 InvalidDuplicateRow',
  'transaction 404 ResourceNotFound',
  'transaction 409 EntityAlreadyExists',
  'transaction 412 UpdateConditionNotSatisfied',
  'transaction unknown',
  'write 201',
  'write 204',
  'write 400 InvalidInput',
  'write 404 ResourceNotFound',
  'write 409 EntityAlreadyExists',
  'write 412 UpdateConditionNotSatisfied',
  'write unknown',
];

const unreached = (): readonly string[] => REACHED.filter(outcome => !outcomes.has(outcome));

describe('simulation', () => {
  before(async () => {
    for (let seed = 1; seed <= SEEDS || (seed <= SEEDS_MAX && unreached().length > 0); seed += 1) {
      const simulated = await simulate(seed);
      assert.equal(simulated.failure, undefined, simulated.failure);
      for (const outcome of simulated.outcomes) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  });

  test('no answer is one that the model does not allow', () => {
    assert.ok(outcomes.size > 0);
  });

  test('the seeds reach every kind of answer', () => {
    assert.deepEqual(unreached(), []);
  });

  test('the seeds have every engine, faults and jumps', () => {
    const plans = Array.from({ length: SEEDS }, (_, i) => planOf(i + 1));
    const kinds = new Set(plans.map(({ engine, durability, faults }) => `${engine} ${durability} ${faults}`));
    assert.deepEqual([...kinds].sort(), [
      'lmdb full false',
      'lmdb full true',
      'lmdb none false',
      'lmdb none true',
      'memory none false',
      'memory none true',
    ]);
    assert.ok(plans.some(({ jumps, engine }) => jumps && engine === 'lmdb'));
    assert.ok(plans.some(({ steps }) => steps.some(({ action }) => action.kind === 'crash')));
  });

  test('a seed is one plan', () => {
    assert.deepEqual(planOf(7), planOf(7));
    assert.notDeepEqual(planOf(7), planOf(8));
  });
});
