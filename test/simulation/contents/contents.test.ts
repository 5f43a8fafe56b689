// Some seeds of the simulation of blobs, the answers that these must reach, and faults that it must find. `npm run
// verify simulation` runs 400.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { onlyIn } from '../../support/slow.js';
import { installCalls } from './simulated-calls.js';

installCalls();
const { simulateBlobs } = await import('./simulate.js');
const { runPlan } = await import('./run.js');
const { planOf } = await import('./plan.js');
const { HONEST, PLANTED_FAULTS } = await import('./planted-faults.js');

const SEEDS = 25;
const SEEDS_MAX = 150;
/** Takes half of the time of all. */
const RARE = 'a sweep takes a content that is about to be named';
const outcomes = new Set<string>();
const REACHED = [
  ...[
    'append done',
    'append refused',
    'append unknown',
    'block done',
    'block unknown',
    'clear done',
    'copy done',
  ],
  ...[
    'delete done',
    'delete refused',
    'deleteSnapshots done',
    'list done',
    'list refused',
    'makeAppend done',
  ],
  ...['makePage done', 'metadata done', 'pages done', 'pages refused', 'put done', 'put unknown'],
  ...[
    'read BlobNotFound',
    'read done',
    'read of a range InvalidRange',
    'read of a range done',
    'read unknown',
  ],
  ...['resize done', 'snapshot done', 'tags done', 'drop done', 'make done', 'tier done'],
  ...['lease done', 'deleteSnapshot done', 'copyFromUrl done', 'putFromUrl done'],
  ...['appendFromUrl done', 'blockFromUrl done', 'pagesFromUrl done'],
].map(outcome => `blob ${outcome}`);

const unreached = (): readonly string[] => REACHED.filter(outcome => !outcomes.has(outcome));

before(async () => {
  for (let seed = 1; seed <= SEEDS || (seed <= SEEDS_MAX && unreached().length > 0); seed += 1) {
    const simulated = await simulateBlobs(seed);
    assert.equal(simulated.failure, undefined, simulated.failure);
    for (const outcome of simulated.outcomes) outcomes.add(outcome);
  }
});

test('the seeds reach every kind of answer', () => {
  assert.deepEqual(unreached(), []);
});

test('a seed is one plan, and plans have everything that may happen to a process', () => {
  assert.deepEqual(planOf(7), planOf(7));
  const kinds = new Set(
    Array.from({ length: SEEDS }, (_, at) => planOf(at + 1).steps.map(({ action }) => action.kind)).flat(),
  );
  assert.deepEqual([...kinds].sort(), [
    'cut',
    'drop',
    'full',
    'kill',
    'make',
    'read',
    'reopen',
    'sweep',
    'write',
  ]);
});

for (const [name, { plant, finding }] of Object.entries(PLANTED_FAULTS))
  test(`found: ${name}`, { skip: name === RARE && onlyIn('blobs') }, async t => {
    for (let seed = 1; seed <= SEEDS_MAX; seed += 1) {
      const { failure } = await runPlan({ ...planOf(seed), faults: false, failingSyncs: false }, plant);
      if (failure === undefined) continue;
      t.diagnostic(`Seed ${seed} finds it.`);
      assert.match(failure.message, finding);
      const honest = await runPlan({ ...planOf(seed), faults: false, failingSyncs: false }, HONEST);
      assert.equal(honest.failure, undefined, 'without the fault');
      return;
    }
    assert.fail(`Not within ${SEEDS_MAX} seeds.`);
  });
