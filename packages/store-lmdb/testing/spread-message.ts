// The protocol between spread-store.ts and its processes: calls and replies over Node's own channel,
// questions and answers in frames over two pipes, because the process that asks has to wait without yielding the
// thread.
import { serialize } from 'node:v8';
import type { StoreErrorCode } from '#store';

export interface Call {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

export interface Reply {
  readonly id: number;
  readonly value?: unknown;
  /** Without a code it is no `StoreError`. */
  readonly failure?: { readonly code: StoreErrorCode | undefined; readonly message: string } | undefined;
}

export interface Ask {
  /** Id of the call during which it is asked. */
  readonly id: number;
  readonly callback: string;
  readonly args: readonly unknown[];
}

export interface Answer {
  readonly value?: unknown;
  readonly thrown?: boolean;
}

export type Callbacks = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
export const isCall = (value: unknown): value is Call => isObject(value) && 'method' in value;
export const isReply = (value: unknown): value is Reply => isObject(value) && 'id' in value;
export const isAsk = (value: unknown): value is Ask => isObject(value) && 'callback' in value;
export const isAnswer = (value: unknown): value is Answer => isObject(value);

/** The length of what follows in 4 bytes, then the value as node:v8 writes it. */
export function frame(value: object): Buffer {
  const bytes = serialize(value);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}
