// The protocol between spread-store.ts and its processes: calls and replies over Node's own channel,
// questions and answers in frames over two pipes, because the process that asks has to wait without yielding the
// thread.
import { serialize } from 'node:v8';
import type { Row, StoreErrorCode } from '#store';

export interface Call {
  readonly id: number;
  readonly method: string;
  /** Instead of a function there is its `Callback`. */
  readonly args: readonly unknown[];
}

/** The function that is this argument of the call. */
export interface Callback {
  readonly callback: number;
}

export interface Reply {
  readonly id: number;
  readonly value?: unknown;
  /** Without a code it is no `StoreError`. */
  readonly failure?: { readonly code: StoreErrorCode | undefined; readonly message: string } | undefined;
}

export interface Ask {
  /** Id of the call during which it is asked; undefined for the clock. */
  readonly id: number | undefined;
  readonly callback: number;
  readonly args: readonly unknown[];
}

export interface Answer {
  readonly value?: unknown;
  readonly thrown?: boolean;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
export const isCall = (value: unknown): value is Call => isObject(value) && 'method' in value;
export const isReply = (value: unknown): value is Reply => isObject(value) && 'id' in value;
export const isCallback = (value: unknown): value is Callback => isObject(value) && 'callback' in value;
export const isAsk = (value: unknown): value is Ask => isCallback(value) && 'args' in value;
export const isRow = (value: unknown): value is Row => isObject(value) && 'partition' in value;
export const isAnswer = (value: unknown): value is Answer => isObject(value);

/** The length of what follows in 4 bytes, then the value as node:v8 writes it. */
export function frame(value: object): Buffer {
  const bytes = serialize(value);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}
