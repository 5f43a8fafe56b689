// One seed from its plan to its report: runs it, and if it fails, shrinks its steps and prints how to repeat it.
import type { QueueHappening } from '../queues/call.js';
import type { Breach, Happening } from './judge/history.js';
import { textOf } from './plan/expression.js';
import { shrink } from './plan/shrink.js';
import type { Plan, Step } from './plan/step.js';
import { planOf } from './plan/workload.js';
import { runPlan } from './run/run.js';
import type { Simulated } from './run-seeds.js';

/** Time for shrinking a failure. */
const SHRINKING_MS = 20_000;

const settingsText = ({ engine, durability, sockets, faults, jumps }: Plan): string =>
  [
    engine === 'lmdb' ? `LMDB with durability ${durability}` : 'the memory engine',
    sockets ? 'over sockets' : 'by values',
    faults ? 'with faults' : 'without faults',
    jumps ? 'and a clock that jumps' : 'and a steady clock',
  ].join(', ');

/** Shortens long runs of one character, as in long keys. */
const shorten = (text: string): string =>
  text.replace(/(.)\1{30,}/gu, (run, character: string) => `${character}…${run.length}…`);

function stepText({ number, client, pause, action }: Step): string {
  const { kind, ...details } = action;
  const shown =
    action.kind === 'query' && action.filter ? { ...details, filter: textOf(action.filter) } : details;
  return `  ${number}. client ${client}${pause > 0 ? `, after ${pause} turns` : ''}: ${kind} ${JSON.stringify(shown)}`;
}

/** Later steps have no part in the failure. */
const upTo = (steps: readonly Step[], { step }: Breach): readonly Step[] =>
  steps.filter(({ number }) => number <= step);

/** A text for people. */
async function report(plan: Plan, failure: Breach): Promise<string> {
  const attempt = async (steps: readonly Step[]) => (await runPlan({ ...plan, steps })).failure;
  const end = performance.now() + SHRINKING_MS;
  const mayGoOn = (): boolean => performance.now() < end;
  const prefix = upTo(plan.steps, failure);
  const again = await attempt(prefix);
  const whole = { steps: plan.steps, failure };
  const shortest = await shrink(again ? { steps: prefix, failure: again } : whole, attempt, mayGoOn);
  return [
    `Seed ${plan.seed} fails at step ${failure.step} of ${plan.steps.length}, on ${settingsText(plan)}.`,
    failure.message,
    `The shortest list of steps found that fails too (${shortest.steps.length}), at step ${shortest.failure.step}:`,
    ...shortest.steps.map(stepText),
    shortest.failure.message,
    `Again: SIMULATION_SEED=${plan.seed} node dist/test/simulation/main.js`,
  ]
    .map(shorten)
    .join('\n');
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
  return { failure: failure && (await report(plan, failure)), outcomes };
}
