// The parts of a store with a log, by which a test sees what is in the log and what is in the tree.
import { copyFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '#base';
import type { Decision, Reads, Row, Space } from '#store';
import { CommitQueue } from '../commit/commit-queue.js';
import { CommitWork } from '../commit/commit-work.js';
import { DiskReserve } from '../commit/disk-reserve.js';
import { type Environment, FILE_NAME, openEnvironment } from '../environment.js';
import { Counters } from '../layout/counters.js';
import { LOG_NAME, type LogRecord, readLog } from '../wal/log-file.js';
import { startLog } from '../wal/start-log.js';

export const SPACE: Space = {
  account: 'a',
  service: 't',
  name: 'n',
  id: 7,
  created: 0n,
  metadata: Buffer.alloc(0),
};
export const textOf = (row: Row | undefined): string | undefined => row?.value.toString();

export async function newDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'commit-log-'));
  t.after(() => rm(directory, { recursive: true }));
  return directory;
}

/** A store's parts, with a log. */
export class Parts {
  readonly directory: string;
  readonly environment: Environment;
  readonly queue: CommitQueue;
  readonly #room: DiskReserve;

  static async open(t: TestContext, directory?: string): Promise<Parts> {
    const parts = new Parts(directory ?? (await newDirectory(t)));
    t.after(() => parts.close());
    const { environment } = parts;
    if (environment.catalog.getSpace(SPACE) === undefined) {
      await environment.transaction(() => {
        environment.catalog.putSpace(SPACE);
        environment.catalog.putCounters({ tick: systemClock(), spaceId: 7, subtreeId: 0 });
      });
    }
    await startLog(environment, parts.queue, parts.#room);
    return parts;
  }

  private constructor(directory: string) {
    this.directory = directory;
    this.environment = openEnvironment({ directory, durability: 'full' });
    this.#room = new DiskReserve({ path: this.environment.path, freeBytes: () => 0, exclusive: true });
    this.queue = new CommitQueue({
      environment: this.environment,
      counters: new Counters(systemClock),
      chore: () => false,
      room: this.#room,
      exclusive: true,
    });
  }

  #closing: Promise<void> | undefined;

  close(): Promise<void> {
    this.#closing ??= this.queue.stop().then(() => this.environment.close());
    return this.#closing;
  }

  commit<R>(
    reads: Reads,
    decide: (rows: readonly (Row | undefined)[], range: readonly Row[]) => Decision<R>,
  ) {
    return this.queue.add(
      new CommitWork(this.environment, SPACE, 'p', reads, ({ keys, range }) => decide(keys, range)),
    );
  }

  put(key: string, value: Buffer | string) {
    const puts = [{ key, value: Buffer.from(value) }];
    return this.commit({ keys: [] }, () => ({ result: true, puts }));
  }

  remove(deletes: readonly string[]) {
    return this.commit({ keys: [] }, () => ({ result: true, deletes }));
  }

  /** Appends to a text, so that its order shows. */
  add(key: string, text: string) {
    return this.commit({ keys: [key] }, ([row]) => ({
      result: `${textOf(row) ?? ''}${text}`,
      puts: [{ key, value: Buffer.from(`${textOf(row) ?? ''}${text}`) }],
    }));
  }

  inTree(key: string): string | undefined {
    this.environment.refreshSnapshot();
    return textOf(this.environment.rows.get(SPACE.id, 'p', key));
  }

  isRecent(key: string): boolean {
    return this.queue.recent.find(SPACE.id, 'p', key) !== undefined;
  }

  records(): readonly LogRecord[] {
    return readLog(join(this.directory, LOG_NAME), 1n);
  }

  /** A work that has to see the tree. */
  range(): Promise<readonly string[] | undefined> {
    const reads = { keys: [], range: { from: '', rows: 1000 } };
    return this.commit(reads, (_, range) => ({ result: range.map(row => `${row.key}=${textOf(row)}`) }));
  }

  async empty(): Promise<void> {
    while (!this.queue.recent.isEmpty) await wait(5);
  }

  /** As a kill leaves it. */
  async copy(t: TestContext): Promise<string> {
    const to = await newDirectory(t);
    for (const name of [FILE_NAME, LOG_NAME]) copyFileSync(join(this.directory, name), join(to, name));
    return to;
  }
}
