// One seed of the simulation of blobs and their contents, from its plan to its report.
import type { Breach } from '../judge/history.js';
import { shrink } from '../plan/shrink.js';
import type { Simulated } from '../run-seeds.js';
import type { Happening } from './history.js';
import { type Plan, planOf, type Step } from './plan.js';
import { runPlan } from './run.js';

const SHRINKING_MS = 20_000;

const stepText = ({ number, client, pause, action }: Step): string =>
  `  ${number}. client ${client}${pause > 0 ? `, after ${pause} turns` : ''}: ${JSON.stringify(action)}`;

async function report(plan: Plan, failure: Breach): Promise<string> {
  const end = performance.now() + SHRINKING_MS;
  const attempt = async (steps: readonly Step[]) => (await runPlan({ ...plan, steps })).failure;
  const shortest = await shrink({ steps: plan.steps, failure }, attempt, () => performance.now() < end);
  const settings = `${plan.faults ? 'with' : 'without'} faults${plan.failingSyncs ? ', and syncs that fail' : ''}`;
  return [
    `Seed ${plan.seed} of blobs fails at step ${failure.step} of ${plan.steps.length}, ${settings}.`,
    failure.message,
    `The shortest list of steps found that fails too (${shortest.steps.length}), at step ${shortest.failure.step}:`,
    ...shortest.steps.map(stepText),
    shortest.failure.message,
    `Again: BLOB_SIMULATION_SEED=${plan.seed} node dist/test/simulation/contents/main.js`,
  ].join('\n');
}

function outcomeText({ question }: Happening): string {
  if (question.kind === 'show') return 'blobs, all of them';
  if (question.kind === 'write') return `blob ${question.step.kind} ${question.answer ?? 'unknown'}`;
  const what = question.range === undefined ? 'blob read' : 'blob read of a range';
  return `${what} ${question.answer?.replace(/ bytes.*|^\d+/g, '') || (question.answer ? 'done' : 'unknown')}`;
}

/** See ../simulate.ts. */
export async function simulateBlobs(seed: number): Promise<Simulated> {
  const plan = planOf(seed);
  const { failure, history } = await runPlan(plan);
  return { failure: failure && (await report(plan, failure)), outcomes: history.map(outcomeText) };
}
