// Calls on a queue and their answers as values. Every message has a unique name at the front of its text, which
// identifies it also when the answer to its put was lost. judge.ts judges a history of happenings.
import type { Sent } from '../histories/ledger.js';

export const SECOND = 10_000_000n;

interface OnQueue<Kind extends string> {
  readonly kind: Kind;
  readonly queue: string;
}

export interface PutCall extends OnQueue<'put'> {
  readonly text: string;
  /** Seconds until it first becomes visible. */
  readonly delay: number;
  /** Seconds; undefined means forever. */
  readonly life: number | undefined;
}

export interface GetCall extends OnQueue<'get'> {
  readonly count: number;
  readonly seconds: number;
}

interface PeekCall extends OnQueue<'peek'> {
  readonly count: number;
  /** What it reads stands still, so it misses nothing, whatever else the history has at that time. */
  readonly isOfCopy?: boolean;
}

/** Shows that a client holds a message. */
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
  /** For a refusal. */
  readonly code: string | undefined;
  /** For a put one, without a text. */
  readonly messages: readonly Shown[];
  /** For an update. */
  readonly receipt: string | undefined;
  readonly visible: bigint | undefined;
}

export type QueueHappening = Sent<QueueCall, QueueAnswer>;

const NAME = /^m\d+/;

/** The name of a message. */
export function nameIn(text: string): string {
  const [name] = NAME.exec(text) ?? [];
  if (name === undefined) throw new Error(`Nobody put '${text.slice(0, 40)}'.`);
  return name;
}
