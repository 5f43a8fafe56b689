// The definition of a flow: a name, a schema of its input, steps, versions and queues. It is checked once, when the program starts. flow.ts has the methods that programs call.

import { checkVersion } from '../model/entity.js';
import { hashText } from '../model/keys/hash-bucket.js';
import type { Db } from '../repo/open.js';
import type { OperationId } from '../repo/write/operation-id.js';
import { validated } from '../values/check-value.js';
import { PatternError, refuseDefinition, refuseValue } from '../values/pattern-error.js';
import type { StandardSchema } from '../values/standard-schema.js';

/** `pending`: the write that the message announced has not been seen, and the message is kept for a while. */
export type StepResult = undefined | 'pending';

/** What a step receives in addition to its input. */
export interface StepContext {
  readonly db: Db;
  /** Of this run of the flow, the same however often its message is delivered: the idempotency key of outside effects. */
  readonly id: string;
  /** From 1: how often the message was tried. */
  readonly attempt: number;
  /** Ends the step when another worker has taken the message over. What was written stays, and must do no harm. */
  readonly signal: AbortSignal;
  /** What the write that announced this message leaves in its row; undefined for a message that no write came with. */
  readonly operationId: OperationId | undefined;
  /** The announced write takes its row away. */
  readonly deletes: boolean;
  /** Passes an event to the worker's `report`. */
  note(text: string): void;
}

/** A piece of work that may be done more than once: its result is the same, whatever of it was done before. */
export interface Step<I> {
  readonly name: string;
  run(input: I, context: StepContext): Promise<void> | Promise<StepResult>;
}

/** Turns the input of one version into that of the next. */
type InputUpcast = (old: unknown) => unknown;

/** Versions of a flow's input, and its queues. */
export interface FlowOptions<I> {
  /** Of the input, from 1. Messages of earlier versions may still be in the queue when a new program starts. */
  readonly version?: number;
  /** From each earlier version to the next. */
  readonly upcast?: Readonly<Record<number, InputUpcast>>;
  /** Queues that share the messages; 1 by default. The number may grow. */
  readonly queues?: number;
  /** By which messages are shared out: those of one key go to one queue. The whole input by default. */
  readonly keyOf?: (input: I) => string;
  /** The queue's name, and how those of several queues begin; the flow's name by default. */
  readonly queue?: string;
}

/** A flow, checked. `I` is what is given, `O` what its schema makes of it for the steps. */
export interface FlowDefinition<I = unknown, O = unknown> {
  readonly name: string;
  readonly version: number;
  readonly schema: StandardSchema<I, O>;
  readonly steps: readonly Step<O>[];
  readonly upcast: Readonly<Record<number, InputUpcast>>;
  readonly keyOf: (input: I) => string;
  readonly queues: readonly string[];
  readonly poisonQueue: string;
}

const QUEUE_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const POISON = '-poison';
/** 63 without what is added for poison. */
const QUEUE_NAME_MAX = 56;
const QUEUES_MAX = 100;

function checkSteps(name: string, steps: readonly Step<never>[]): void {
  if (steps.length === 0) refuseDefinition(name, 'it has no steps');
  const names = steps.map(step => step.name);
  const twice = names.find((each, at) => names.indexOf(each) !== at);
  if (twice !== undefined) refuseDefinition(name, `two steps are called ${twice}`);
}

export function define<I, O>(
  name: string,
  schema: StandardSchema<I, O>,
  steps: readonly Step<O>[],
  options: FlowOptions<I> = {},
): FlowDefinition<I, O> {
  const {
    version = 1,
    upcast = {},
    queues = 1,
    queue = name,
    keyOf = input => JSON.stringify(input),
  } = options;
  if (!QUEUE_NAME.test(queue) || queue.length < 3 || queue.length > QUEUE_NAME_MAX)
    refuseDefinition(
      name,
      `${queue} is not a name that its queue may have: 3 to ${QUEUE_NAME_MAX} small letters, digits and single hyphens`,
    );
  if (!Number.isInteger(queues) || queues < 1 || queues > QUEUES_MAX)
    refuseDefinition(name, `it may have from 1 to ${QUEUES_MAX} queues, not ${queues}`);
  checkVersion(name, version, upcast);
  checkSteps(name, steps);
  // The first has the bare name, so that a number which grows finds what is in it.
  const names = Array.from({ length: queues }, (_, at) => (at === 0 ? queue : `${queue}-${at}`));
  return { name, version, schema, steps, upcast, keyOf, queues: names, poisonQueue: `${queue}${POISON}` };
}

/** The queue of an input. */
export function queueOf<I>({ queues, keyOf }: Pick<FlowDefinition<I>, 'queues' | 'keyOf'>, input: I): string {
  const [first = ''] = queues;
  return queues.length === 1 ? first : (queues[hashText(keyOf(input)) % queues.length] ?? first);
}

/** The input as it is sent. Throws ValueInvalid for what the schema refuses, now or when it is read back. */
export function inputToSend<I>(
  { name, schema }: Pick<FlowDefinition<I>, 'name' | 'schema'>,
  input: I,
): unknown {
  const property = `${name}.input`;
  let text: string | undefined;
  try {
    text = JSON.stringify(input);
  } catch (thrown) {
    return refuseValue(property, 'JSON', thrown instanceof Error ? thrown.message : String(thrown));
  }
  if (text === undefined) return refuseValue(property, 'JSON', 'JSON cannot hold it');
  const json: unknown = JSON.parse(text);
  validated(schema, json, property);
  return json;
}

/** What brings an input up to date. Without a schema it stays as JSON has it. */
type Upcasting<O> = Pick<FlowDefinition, 'name' | 'version' | 'upcast'> & {
  readonly schema: StandardSchema<unknown, O> | undefined;
};

/** An input of a version as steps get it. Throws MessageUnreadable for a later version, and what an upcast or the schema throws. */
export function upcastInput<O>(
  { name, version, upcast, schema }: Upcasting<O>,
  given: unknown,
  from: number,
  queue = name,
): O {
  if (from > version) {
    const reason = `its input is of version ${from}, and this program knows ${version}`;
    const sentence = `A message of the queue ${queue} cannot be read: ${reason}.`;
    throw new PatternError('MessageUnreadable', { queue, reason }, { sentence });
  }
  let input = given;
  for (let at = from; at < version; at++) input = upcast[at]?.(input);
  return (schema === undefined ? input : validated(schema, input, `${name}.input`)) as O;
}
