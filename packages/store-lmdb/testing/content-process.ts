// A process that uses the contents of a directory beside the test's: it does what it is told, and says what came of it.
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ContentPin, ContentWriter } from '#store';
import { openLmdbStore } from '../lmdb-store.js';

export type Order =
  | { readonly kind: 'open'; readonly directory: string }
  /** A content of so many bytes: its id. */
  | { readonly kind: 'write'; readonly bytes: number; readonly until: 'begun' | 'finished' | 'released' }
  | { readonly kind: 'pin' | 'unpin' | 'close' | 'list' }
  | { readonly kind: 'drop'; readonly id: string };

/** Of another process; ends with the test. */
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

const ADDRESS = { account: 'a', service: 't', name: 'n' };

async function serve(): Promise<void> {
  const pins: ContentPin[] = [];
  const writers: ContentWriter[] = [];
  const [first] = await once(process, 'message');
  const store = await openLmdbStore({ directory: first.directory, durability: 'none' });
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
  process.on('message', async (order: Order) => {
    let answer = '';
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

if (process.argv[2] === 'serve') void serve();
