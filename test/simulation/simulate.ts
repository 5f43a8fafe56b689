// One seed from its plan to its report: runs it, and if it fails, shrinks its steps and prints how to repeat it.
import type { QueueHappening } from '../queues/call.js';
import type { TableHappening as Happening } from './judge/history.js';
import { textOf } from './plan/expression.js';
import type { Plan, Step } from './plan/step.js';
import { planOf } from './plan/workload.js';
import { reportFailure } from './report-failure.js';
import { runPlan } from './run/run.js';
import type { Simulated } from './run-seeds.js';

const settingsText = ({ engine, durability, faults, jumps }: Plan): string =>
  [
    engine === 'lmdb' ? `LMDB with durability ${durability}` : 'the memory engine',
    faults ? 'with faults' : 'without faults',
    jumps ? 'and a clock that jumps' : 'and a steady clock',
  ].join(', ');

/** Shortens long runs of one character, as in long keys. */
const shorten = (text: string): string =>
  text.replace(/(.)\1{30,}/gu, (run, character: string) => `${character}…${run.length}…`);

function stepText({ number, client, pause, action }: Step): string {
  const { kind, ...details } = action;
  const shown =
    action.kind === 'page' && action.filter ? { ...details, filter: textOf(action.filter) } : details;
  return `  ${number}. client ${client}${pause > 0 ? `, after ${pause} turns` : ''}: ${kind} ${JSON.stringify(shown)}`;
}

function outcomeText({ call, answer }: Happening): string {
  const writes = 'isBatch' in call && call.isBatch ? 'transaction' : 'write';
  const kind = call.kind === 'writes' ? writes : call.kind;
  if (!answer) return `${kind} unknown`;
  const more = answer.next || answer.nextTable !== undefined ? ' and more' : '';
  return `${kind} ${answer.status}${answer.code === undefined ? more : ` ${answer.code}`}`;
}

function queueOutcomeText({ call, answer }: QueueHappening): string {
  if (!answer) return `queue ${call.kind} unknown`;
  const { status, code, messages } = answer;
  const empty = code === undefined && 'count' in call && messages.length === 0 ? ' empty' : '';
  return `queue ${call.kind} ${status}${code === undefined ? empty : ` ${code}`}`;
}

export async function simulate(seed: number): Promise<Simulated> {
  const plan = planOf(seed);
  const { failure, history, queueHistory } = await runPlan(plan);
  const outcomes = [...history.map(outcomeText), ...queueHistory.map(queueOutcomeText)];
  if (failure === undefined) return { failure, outcomes };
  const report = await reportFailure({
    ...plan,
    failure,
    settings: `on ${settingsText(plan)}`,
    attempt: async steps => (await runPlan({ ...plan, steps })).failure,
    show: stepText,
    again: ['SIMULATION_SEED', 'main.js'],
  });
  return { failure: shorten(report), outcomes };
}
