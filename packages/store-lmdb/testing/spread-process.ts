// One of the processes of spread-store.ts: holds the store and executes the calls.
import { readSync, writeSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { type Row, type Store, StoreError } from '#store';
import { openLmdbStore } from '../lmdb-store.js';
import { type Answer, type Call, frame, isAnswer, isCall, type Reply } from './spread-message.js';

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

/** Blocks until the other end has answered. */
function ask(id: number, callback: string, args: readonly unknown[]): unknown {
  const asked = frame({ id, callback, args });
  for (let written = 0; written < asked.length; ) written += writeSync(ASKS_FD, asked, written);
  const answer: unknown = deserialize(readExactly(readExactly(4).readUInt32LE(0)));
  const { value, thrown }: Answer = isAnswer(answer) ? answer : {};
  if (thrown) throw new Error('Thrown at the other end, which knows what.');
  return value;
}

/** A row in place may be a view that computes its properties; on the wire it needs their values. */
const plain = ({ partition, key, version, value }: Row): Row => ({ partition, key, version, value });

async function perform({ id, method, args }: Call): Promise<unknown> {
  const [first, second, third] = args as [never, never, never];
  if (method === 'open') {
    const clock = (): bigint => ask(id, 'clock', []) as bigint;
    store = await openLmdbStore({ ...(first as { directory: string }), clock }, second);
    return undefined;
  }
  if (store === undefined) throw new Error('No store is open.');
  switch (method) {
    case 'createSpace':
      return store.createSpace(first, second, existing => ask(id, 'onExisting', [existing]));
    case 'getSpace':
      return store.getSpace(first);
    case 'listSpaces':
      return store.listSpaces(first, second, third, args[3] as number);
    case 'updateSpace':
      return store.updateSpace(first, metadata => ask(id, 'change', [metadata]) as Buffer);
    case 'dropSpace':
      return store.dropSpace(first);
    case 'read':
      return store.read(first, second, third);
    case 'scan':
      return store.scan(first, second, third, row => ask(id, 'visit', [plain(row)]) === true);
    case 'commit':
      return store.commit(first, second, third, (rows, tick) => ask(id, 'decide', [rows, tick]) as never);
    case 'close':
      return store.close();
    default:
      throw new Error(`A store has no ${method}.`);
  }
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
