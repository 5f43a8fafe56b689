// The judge of blobs: whether the plain model explains a history. There must be an order of the calls on a container,
// each at a moment between its beginning and its end, in which the model gives these answers.
import { type Courses, textOf, unexplained } from '../histories/explain.js';
import type { Breach } from '../histories/history.js';
import type { Model as ModelOfCalls } from '../simulation/judge/linearize.js';
import type { BlobAnswer, BlobCall, BlobHappening, ReadCall, WriteCall } from './blob-call.js';
import { afterStep, bytesOf, EMPTY, type Model, nameOf, type Step, showModel, sumOf } from './blob-model.js';

const MISSING = 'BlobNotFound';
const OUTSIDE = 'InvalidRange';
const NO_CONTAINER = 'ContainerNotFound';

/** Undefined if there is no container. */
type State = Model | undefined;

interface Asked {
  readonly call: BlobCall;
  readonly answer: BlobAnswer | undefined;
}

/** They change no blob's ETag. */
const KEEPING: ReadonlySet<Step['kind']> = new Set([
  ...(['block', 'blockFromUrl', 'snapshot', 'delete', 'deleteSnapshot', 'deleteSnapshots'] as const),
  ...(['tags', 'tier', 'lease'] as const),
]);

function withEtag(model: Model, name: string, etag: string | undefined): Model {
  const blob = model.blobs.get(name);
  return blob ? { ...model, blobs: new Map(model.blobs).set(name, { ...blob, etag }) } : model;
}

/** ETags are as long as each other, and rise. */
const isLater = (etag: string | undefined, before: string | undefined): boolean =>
  etag === undefined || before === undefined || etag > before;

function write(model: Model, { step }: WriteCall, answer: BlobAnswer | undefined): readonly State[] {
  const name = nameOf(step.blob);
  const old = model.blobs.get(name);
  const isMet = step.ifMatch === undefined || old?.etag === step.ifMatch;
  const mayBeMet = isMet || (old !== undefined && old.etag === undefined);
  const next = mayBeMet ? afterStep(model, step) : undefined;
  if (answer?.code !== undefined) return isMet && next !== undefined ? [] : [model];
  const isThere = answer?.offset === undefined || answer.offset === old?.bytes.length;
  if (next === undefined || !isThere) return [];
  if (KEEPING.has(step.kind)) return [next];
  return isLater(answer?.etag, old?.etag) ? [withEtag(next, name, answer?.etag)] : [];
}

function read(model: Model, { blob, range }: ReadCall, answer: BlobAnswer): readonly State[] {
  const { bytes, etag } = model.blobs.get(blob) ?? {};
  if (bytes === undefined) return answer.code === MISSING ? [model] : [];
  const [from, count] = range ?? [0, bytes.length];
  if (range !== undefined && from >= bytes.length) return answer.code === OUTSIDE ? [model] : [];
  const isIt = answer.text === sumOf(range === undefined ? bytes : bytes.subarray(from, from + count));
  if (!isIt || (etag ?? answer.etag) !== (answer.etag ?? etag)) return [];
  return [etag === undefined && answer.etag !== undefined ? withEtag(model, blob, answer.etag) : model];
}

function shown(state: State): string {
  if (state === undefined) return 'no container';
  const etags = [...state.blobs].map(([name, { etag }]) => `${name} ${etag}`);
  return [JSON.stringify(showModel(state)), ...etags.sort()].join('\n');
}

const MODEL: ModelOfCalls<State, Asked> = {
  initial: undefined,
  describe: shown,
  key: state => {
    const blocks = (of: ReadonlyMap<string, Buffer>) =>
      [...of].map(([id, bytes]) => `${id} ${sumOf(bytes)}`).sort();
    // What is shown of a lease does not say whose it is.
    const blobs = [...(state?.blobs ?? [])].map(([name, { marks, blocks: own }]) =>
      [name, marks.lease, ...blocks(own)].join(),
    );
    const staged = [...(state?.staged ?? [])].map(([name, of]) => [name, ...blocks(of)].join());
    return [shown(state), ...blobs.sort(), '|', ...staged.sort()].join('\n');
  },
  twin: ({ call }) =>
    call.kind === 'write' && call.step.kind === 'delete' && call.step.ifMatch === undefined
      ? `delete ${nameOf(call.step.blob)} ${call.step.lease}`
      : undefined,
  apply: (state, { call, answer }) => {
    if (call.kind === 'make') {
      if (state !== undefined) return answer && answer.code === undefined ? [] : [state];
      return answer?.code === undefined ? [EMPTY] : [];
    }
    if (state === undefined) return answer?.code === NO_CONTAINER ? [state] : [];
    if (call.kind === 'drop') return answer?.code === undefined ? [undefined] : [];
    if (call.kind === 'write') return write(state, call, answer);
    if (answer === undefined) return [state];
    if (call.kind === 'read') return read(state, call, answer);
    return JSON.stringify(showModel(state)) === answer.text ? [state] : [];
  },
};

/** Whether what a call put may have been read. */
function seenIn(history: readonly BlobHappening[]): (asked: Asked) => boolean {
  const texts = new Set(history.map(({ answer }) => answer?.text));
  return ({ call }) =>
    call.kind !== 'write' || call.step.kind !== 'put' || texts.has(sumOf(bytesOf(call.step)));
}

/** For each container at most one. @throws TooManyExplanations */
export function blobFaults(history: readonly BlobHappening[], courses?: Courses): Breach[] {
  const containers = new Set(history.map(({ call }) => call.container));
  return [...containers].flatMap(container => {
    const own = history.filter(
      ({ call, answer }) =>
        call.container === container &&
        (answer !== undefined || (call.kind !== 'read' && call.kind !== 'show')),
    );
    const events = own.map(happening => {
      const { call, answer } = happening;
      return { happening, question: { call, answer } };
    });
    const isSeen = own.some(({ call }) => call.kind === 'show') ? undefined : seenIn(own);
    return (
      unexplained(`container ${container}`, events, MODEL, {
        courses,
        ...(isSeen && { isSeen }),
        show: ({ call, answer }) => `${textOf(call)}: ${textOf(answer)}`,
      }) ?? []
    );
  });
}
