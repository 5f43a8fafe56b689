// One seed of the simulation of blobs and their contents, from its plan to its report.
import type { BlobHappening as Happening } from '../../blobs/blob-call.js';
import { reportFailure } from '../report-failure.js';
import type { Simulated } from '../run-seeds.js';

import { planOf, type Step } from './plan.js';
import { runPlan } from './run.js';

const stepText = ({ number, client, pause, action }: Step): string =>
  `  ${number}. client ${client}${pause > 0 ? `, after ${pause} turns` : ''}: ${JSON.stringify(action)}`;

function outcomeText({ call, answer }: Happening): string {
  const refusal = call.kind === 'write' ? 'refused' : answer?.code;
  const outcome = answer === undefined ? 'unknown' : answer.code === undefined ? 'done' : refusal;
  if (call.kind === 'write') return `blob ${call.step.kind} ${outcome}`;
  return `blob ${call.kind}${call.kind === 'read' && call.range ? ' of a range' : ''} ${outcome}`;
}

/** See ../simulate.ts. */
export async function simulateBlobs(seed: number): Promise<Simulated> {
  const plan = planOf(seed);
  const { failure, history } = await runPlan(plan);
  const outcomes = history.map(outcomeText);
  if (failure === undefined) return { failure, outcomes };
  const report = await reportFailure({
    ...plan,
    failure,
    settings: `${plan.faults ? 'with' : 'without'} faults${plan.failingSyncs ? ', and syncs that fail' : ''}`,
    attempt: async steps => (await runPlan({ ...plan, steps })).failure,
    show: stepText,
    again: ['BLOB_SIMULATION_SEED', 'contents/main.js'],
  });
  return { failure: report, outcomes };
}
