// What happened in a run, and whether the plain model of blobs explains it: there must be an order of the calls, each at a moment between its
// beginning and its end, in which the model gives these answers. A call without an answer took effect in its time, or never.
import { createHash } from 'node:crypto';
import { afterStep, type Step as BlobStep, EMPTY, type Model, showModel } from '../../blobs/blob-model.js';
import { Breach } from '../judge/history.js';
import { type Invocation, linearize, type Model as ModelOfCalls } from '../judge/linearize.js';

/** An answer is undefined where it is unknown. */
export type Question =
  | { readonly kind: 'write'; readonly step: BlobStep; answer?: 'done' | 'refused' }
  | {
      readonly kind: 'read';
      readonly blob: string;
      readonly range: readonly [from: number, count: number] | undefined;
      /** Of the bytes, or why there are none. */
      answer?: string;
    }
  /** Everything, while no other call is under way. */
  | { readonly kind: 'show'; readonly text: string };

export interface Happening {
  readonly step: number;
  readonly invoked: number;
  answered: number;
  required: boolean;
  readonly question: Question;
}

export const MISSING = 'BlobNotFound';
export const OUTSIDE = 'InvalidRange';

const sums = new WeakMap<Buffer, string>();

export function sumOf(bytes: Buffer): string {
  const known = sums.get(bytes);
  if (known !== undefined) return known;
  const sum = `${bytes.length} bytes, ${createHash('md5').update(bytes).digest('hex').slice(0, 8)}`;
  sums.set(bytes, sum);
  return sum;
}

function readOf(model: Model, { blob, range }: Extract<Question, { kind: 'read' }>): string {
  const bytes = model.blobs.get(blob)?.bytes;
  if (bytes === undefined) return MISSING;
  if (range === undefined) return sumOf(bytes);
  const [from, count] = range;
  return from >= bytes.length ? OUTSIDE : sumOf(bytes.subarray(from, from + count));
}

const MODEL: ModelOfCalls<Model, Question> = {
  initial: EMPTY,
  key: model => {
    const blocks = (of: ReadonlyMap<string, Buffer>) =>
      [...of].map(([id, bytes]) => `${id} ${sumOf(bytes)}`).sort();
    const blobs = [...model.blobs].map(([name, blob]) => [name, ...blocks(blob.blocks)].join());
    const staged = [...model.staged].map(([name, of]) => [name, ...blocks(of)].join());
    return [JSON.stringify(showModel(model)), ...blobs.sort(), '|', ...staged.sort()].join('\n');
  },
  apply: (model, question) => {
    if (question.kind === 'read') return readOf(model, question) === question.answer ? [model] : [];
    if (question.kind === 'show') return JSON.stringify(showModel(model)) === question.text ? [model] : [];
    const next = afterStep(model, question.step);
    if (question.answer === 'refused') return next === undefined ? [model] : [];
    return next === undefined ? [] : [next];
  },
};

const textOf = (question: Question): string =>
  question.kind === 'show'
    ? `everything is ${question.text}`
    : question.kind === 'read'
      ? `a read of ${question.blob} ${question.range ?? ''}: ${question.answer}`
      : `${JSON.stringify(question.step)}: ${question.answer}`;

/** Fails with a Breach at the first answer that nothing explains. */
export function judge(history: readonly Happening[]): void {
  const isAnswered = ({ question, required }: Happening): boolean => question.kind === 'write' || required;
  const calls = history.filter(isAnswered);
  const unexplained = linearize(calls as readonly Invocation<Question>[], MODEL);
  if (unexplained === undefined) return;
  const { step, invoked, states } = unexplained;
  const asked = calls.find(call => call.invoked === invoked)?.question;
  const possible = states.map(state => JSON.stringify(showModel(state))).slice(0, 3);
  throw new Breach(
    step,
    `Nothing explains ${asked === undefined ? 'the answer' : textOf(asked)}\nPossible before it: ${possible.join('\n  or ')}`,
  );
}
