// A second process that uses the contents of the test's directory: it executes commands and replies with their results.
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ContentPin, ContentWriter, Engine, Space } from '#store';
import { openLmdbStore } from '../lmdb-store.js';
import { ADDRESS } from './fixture.js';
import { decodeNames, encodeNames } from './named-contents.js';

export type Order =
  | {
      readonly kind: 'open';
      readonly directory: string;
      readonly durability?: 'full' | 'none';
      readonly exclusive?: boolean;
    }
  /** Replaces rows that name contents, and drops the old ones, until it is stopped. */
  | { readonly kind: 'churn' | 'stop' }
  /** Writes a content of this many bytes; replies with its id. */
  | { readonly kind: 'write'; readonly bytes: number; readonly until: 'begun' | 'finished' | 'released' }
  | { readonly kind: 'pin' | 'unpin' | 'close' | 'list' }
  | { readonly kind: 'drop'; readonly id: string };

/** Another process; ends with the test. */
export class ContentProcess {
  readonly #child: ChildProcess = fork(fileURLToPath(import.meta.url), ['serve'], {
    execArgv: process.execArgv.filter(each => !each.startsWith('--test')),
  });

  async ask(order: Order): Promise<string> {
    this.#child.send(order);
    const [answer] = await once(this.#child, 'message');
    assert(typeof answer === 'string');
    return answer;
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

async function serve(): Promise<void> {
  const pins: ContentPin[] = [];
  const writers: ContentWriter[] = [];
  const [first] = await once(process, 'message');
  const { directory, durability = 'none', exclusive = false } = first;
  const store = await openLmdbStore({ directory, durability, exclusive });
  const space =
    (await store.getSpace(ADDRESS)) ?? (await store.createSpace(ADDRESS, Buffer.alloc(0))) ?? assert.fail();
  const write = async (bytes: number, until: string): Promise<string> => {
    const writer = await store.content.create(space);
    writers.push(writer);
    await writer.write(Buffer.alloc(bytes, 'x'));
    if (until !== 'begun') await writer.finish();
    if (until === 'released') writer.release();
    return writer.id;
  };
  const list = async (): Promise<string> => {
    const ids: string[] = [];
    for await (const { id } of store.content.list(space)) ids.push(id);
    return ids.toSorted().join(' ');
  };
  let churning: Promise<number> | undefined;
  const stopping = { isStopped: false };
  process.on('message', async (order: Order) => {
    let answer = '';
    if (order.kind === 'churn') churning = churn(store, space, stopping);
    if (order.kind === 'stop') {
      stopping.isStopped = true;
      answer = String(await churning);
    }
    if (order.kind === 'write') answer = await write(order.bytes, order.until);
    if (order.kind === 'pin') pins.push(store.content.pin());
    if (order.kind === 'unpin') pins.pop()?.release();
    if (order.kind === 'drop') await store.content.drop(space, order.id);
    if (order.kind === 'list') answer = await list();
    if (order.kind === 'close') await store.close();
    process.send?.(answer);
  });
  process.once('disconnect', () => process.exit());
  process.send?.('ready');
}

const ROWS = 8;

/** Returns how many replacements were made. */
async function churn(store: Engine, space: Space, stopping: { isStopped: boolean }): Promise<number> {
  let count = 0;
  const one = async (writer: number): Promise<void> => {
    for (; !stopping.isStopped; count += 1) {
      const key = String(count % ROWS);
      const piece = Buffer.alloc(1000 * (1 + (count % 700)), `${key}`);
      const contents = [await store.content.create(space), await store.content.create(space)];
      for (const content of contents) {
        await content.write(piece);
        await content.finish();
      }
      const value = encodeNames(contents.map(({ id }) => ({ id, bytes: piece.length })));
      const old = await store.commit(space, `p${writer}`, { keys: [key] }, ({ keys: [row] }) => ({
        result: row === undefined ? [] : decodeNames(row),
        puts: [{ key, value }],
      }));
      for (const content of contents) content.release();
      for (const { id } of old ?? []) await store.content.drop(space, id);
    }
  };
  await Promise.all([1, 2, 3].map(one));
  return count;
}

if (process.argv[2] === 'serve') void serve();
