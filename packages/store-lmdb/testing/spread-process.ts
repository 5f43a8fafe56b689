// One of the processes of spread-store.ts: holds the store and executes the calls.
import { readSync, writeSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { copyRow, type Store, StoreError } from '#store';
import { openLmdbStore } from '../lmdb-store.js';
import {
  type Answer,
  type Call,
  frame,
  isAnswer,
  isCall,
  isCallback,
  isRow,
  type Reply,
} from './spread-message.js';

const ASKS_FD = 4;
const ANSWERS_FD = 5;

let store: Store | undefined;

function readExactly(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let read = 0; read < length; ) {
    const count = readSync(ANSWERS_FD, bytes, read, length - read, null);
    if (count === 0) process.exit(1);
    read += count;
  }
  return bytes;
}

/** A row in place may be a view that computes its properties; on the wire it needs their values. */
const plain = (value: unknown): unknown => (isRow(value) ? copyRow(value) : value);

/** Blocks until the other end has answered. */
function ask(id: number | undefined, callback: number, args: readonly unknown[]): unknown {
  const asked = frame({ id, callback, args: args.map(plain) });
  for (let written = 0; written < asked.length; ) written += writeSync(ASKS_FD, asked, written);
  const answer: unknown = deserialize(readExactly(readExactly(4).readUInt32LE(0)));
  const { value, thrown }: Answer = isAnswer(answer) ? answer : {};
  if (thrown) throw new Error('Thrown at the other end, which knows what.');
  return value;
}

async function perform({ id, method, args }: Call): Promise<unknown> {
  if (method === 'open') {
    const [options, internals] = args as [{ directory: string }, object];
    store = await openLmdbStore({ ...options, clock: () => ask(undefined, 0, []) as bigint }, internals);
    return undefined;
  }
  if (store === undefined) throw new Error('No store is open.');
  const given = args.map(each =>
    isCallback(each) ? (...asked: readonly unknown[]) => ask(id, each.callback, asked) : each,
  );
  return Reflect.apply(Reflect.get(store, method), store, given);
}

async function reply(call: Call): Promise<Reply> {
  const { id } = call;
  try {
    return { id, value: await perform(call) };
  } catch (error) {
    const code = error instanceof StoreError ? error.code : undefined;
    return { id, failure: { code, message: error instanceof Error ? error.message : String(error) } };
  }
}

process.on('message', message => {
  if (!isCall(message)) throw new Error('Called in riddles.');
  void reply(message).then(answer => process.send?.(answer));
});
process.on('disconnect', () => process.exit(0));
