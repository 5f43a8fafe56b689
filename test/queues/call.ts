// Calls on a queue and their answers as values: a happening is one call with its answer, their order,
// and the time. Every message has a unique name at the front of its text, which identifies it also when the
// answer to its put was lost. judge.ts judges a history of happenings.

export const SECOND = 10_000_000n;

interface OnQueue<Kind extends string> {
  readonly kind: Kind;
  readonly queue: string;
}

export interface PutCall extends OnQueue<'put'> {
  readonly text: string;
  /** Seconds until it is seen first. */
  readonly delay: number;
  /** Seconds; undefined lives for ever. */
  readonly life: number | undefined;
}

export interface GetCall extends OnQueue<'get'> {
  readonly count: number;
  readonly seconds: number;
}

export interface PeekCall extends OnQueue<'peek'> {
  readonly count: number;
}

/** The proof that a client has leased a message. */
export interface Receipt {
  readonly id: string;
  readonly receipt: string;
}

export interface UpdateCall extends OnQueue<'update'>, Receipt {
  readonly seconds: number;
  /** Undefined keeps it. */
  readonly text: string | undefined;
}

export interface DeleteCall extends OnQueue<'delete'>, Receipt {}

export type QueueCall =
  | PutCall
  | GetCall
  | PeekCall
  | UpdateCall
  | DeleteCall
  | OnQueue<'createQueue'>
  | OnQueue<'deleteQueue'>
  | OnQueue<'clear'>;

/** A message as an answer shows it; times are ticks of whole seconds, as the answer has them. */
export interface Shown {
  readonly id: string;
  readonly inserted: bigint;
  readonly expires: bigint;
  readonly visible: bigint | undefined;
  readonly receipt: string | undefined;
  readonly dequeueCount: number | undefined;
  readonly text: string | undefined;
}

export interface QueueAnswer {
  readonly status: number;
  /** Of a refusal. */
  readonly code: string | undefined;
  /** Of a put one, without a text. */
  readonly messages: readonly Shown[];
  /** Of an update. */
  readonly receipt: string | undefined;
  readonly visible: bigint | undefined;
}

/** From the one tick to the other, both included. */
export interface Span {
  readonly low: bigint;
  readonly high: bigint;
}

export interface QueueHappening {
  readonly step: number;
  /** Beginning and end in the order of all of them, all different. */
  readonly invoked: number;
  answered: number;
  /** Every tick that the call came by, and every time that it was compared with, lies in here. */
  span: Span;
  readonly call: QueueCall;
  /** Undefined where it is unknown: the answer was lost, or the server was busy. */
  answer: QueueAnswer | undefined;
}

const NAME = /^m\d+/;

/** The name of a message. */
export function nameIn(text: string): string {
  const [name] = NAME.exec(text) ?? [];
  if (name === undefined) throw new Error(`Nobody put '${text.slice(0, 40)}'.`);
  return name;
}
