// Judges the histories of blobs: each is a text with an ETag, and some order must explain its calls.
import type { Invocation, Model } from '../../../simulation/judge/linearize.js';
import { explain } from './explain.js';

export type BlobQuestion =
  | { readonly kind: 'put'; readonly text: string; readonly ifMatch: string | undefined }
  | { readonly kind: 'get' | 'delete' };

export interface BlobAnswer {
  readonly status: number;
  readonly etag: string;
  /** Of what was read. */
  readonly text: string;
}

export interface BlobHappening {
  readonly step: number;
  readonly blob: string;
  readonly invoked: number;
  answered: number;
  readonly question: BlobQuestion;
  answer: BlobAnswer | undefined;
}

/** The ETag is undefined if the answer to the write is. */
interface Stored {
  readonly text: string;
  readonly etag: string | undefined;
}
type State = Stored | undefined;

interface Asked {
  readonly question: BlobQuestion;
  readonly answer: BlobAnswer | undefined;
}

const [OK, CREATED, ACCEPTED, NOT_FOUND, PRECONDITION] = [200, 201, 202, 404, 412];

function putInto(
  state: State,
  text: string,
  ifMatch: string | undefined,
  answer: BlobAnswer | undefined,
): readonly State[] {
  const isKnown = state !== undefined && state.etag !== undefined;
  const mayHold = ifMatch === undefined || (state !== undefined && (!isKnown || state.etag === ifMatch));
  const mayFail = ifMatch !== undefined && (!isKnown || state.etag !== ifMatch);
  if (answer === undefined) return mayHold ? [{ text, etag: undefined }] : [];
  if (answer.status === CREATED) return mayHold ? [{ text, etag: answer.etag }] : [];
  return answer.status === PRECONDITION && mayFail ? [state] : [];
}

function getFrom(state: State, answer: BlobAnswer | undefined): readonly State[] {
  if (answer === undefined) return [state];
  if (state === undefined) return answer.status === NOT_FOUND ? [state] : [];
  const isIt =
    answer.status === OK && answer.text === state.text && (state.etag ?? answer.etag) === answer.etag;
  return isIt ? [{ text: state.text, etag: answer.etag }] : [];
}

function deleteFrom(state: State, answer: BlobAnswer | undefined): readonly State[] {
  if (answer === undefined) return [undefined];
  if (state === undefined) return answer.status === NOT_FOUND ? [state] : [];
  return answer.status === ACCEPTED ? [undefined] : [];
}

const MODEL: Model<State, Asked> = {
  initial: undefined,
  key: state => (state === undefined ? 'nothing' : `${state.text} ${state.etag}`),
  apply(state, { question, answer }) {
    switch (question.kind) {
      case 'put':
        return putInto(state, question.text, question.ifMatch, answer);
      case 'get':
        return getFrom(state, answer);
      case 'delete':
        return deleteFrom(state, answer);
    }
  },
};

export function blobFaults(history: readonly BlobHappening[]): string[] {
  const blobs = new Set(history.map(({ blob }) => blob));
  return [...blobs].flatMap(blob => {
    const own = history.filter(happening => happening.blob === blob);
    const calls = own.map(
      ({ step, invoked, answered, question, answer }): Invocation<Asked> => ({
        step,
        invoked,
        answered,
        required: answer !== undefined,
        question: { question, answer },
      }),
    );
    const seen = new Set(own.map(({ answer }) => answer?.text));
    const found = explain(calls, MODEL, ({ question }) => question.kind !== 'put' || seen.has(question.text));
    if (found === undefined) return [];
    const states = found.states.slice(0, 4).map(state => `\n  possible before: ${MODEL.key(state)}`);
    const { question, answer } = own.find(({ invoked }) => invoked === found.invoked) ?? {};
    return [
      `${found.step}: no order of the calls on ${blob} explains ${JSON.stringify(question)} and ${JSON.stringify(answer)}.${states.join('')}`,
    ];
  });
}
