// The parts of a store with a log, by which a test sees what is in the log and what is in the tree.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { systemClock } from '#base';
import { until } from '#base/testing/until';
import type { Decision, Reads, Row, Space } from '#store';
import type { BackgroundTask } from '../commit/background-task.js';
import { CommitOrder } from '../commit/commit-order.js';
import { type Environment, FILE_NAME, openEnvironment } from '../environment.js';
import { Counters } from '../layout/catalog.js';
import { DiskReserve } from '../lmdb/disk-reserve.js';
import { LOG_NAME } from '../wal/log-file.js';
import { type LogRecord, readLog } from '../wal/read-log.js';
import { fenceLog, replayLog } from '../wal/recovery.js';
import { newDirectory } from './fixture.js';

export const SPACE: Space = {
  account: 'a',
  service: 't',
  name: 'n',
  id: 7,
  created: 0n,
  metadata: Buffer.alloc(0),
};
export const textOf = (row: Row | undefined): string | undefined => row?.value.toString();

/** A disk's headroom, which a test can take away. */
class Headroom extends DiskReserve {
  isTaken = false;

  override isAmple(): boolean {
    return !this.isTaken && super.isAmple();
  }
}

interface PartsOptions {
  readonly directory?: string;
  readonly waitingMax?: number | undefined;
  readonly task?: BackgroundTask | undefined;
  readonly isLogged?: boolean;
}

/** A store's parts, with a log unless that is turned off. */
export class Parts {
  readonly directory: string;
  readonly environment: Environment;
  readonly commits: CommitOrder;
  readonly reserve: Headroom;

  static async open(t: TestContext, options: PartsOptions = {}): Promise<Parts> {
    const parts = new Parts(options.directory ?? newDirectory(t), options);
    t.after(() => parts.close());
    const { environment } = parts;
    if (environment.catalog.getSpace(SPACE) === undefined) {
      await environment.transaction(() => {
        environment.catalog.putSpace(SPACE);
        environment.catalog.putCounters({ tick: systemClock(), spaceId: 7, subtreeId: 0 });
      });
    }
    await parts.commits.begin();
    return parts;
  }

  private constructor(directory: string, { waitingMax, task = () => false, isLogged = true }: PartsOptions) {
    this.directory = directory;
    this.environment = openEnvironment({ directory, durability: 'full' });
    this.reserve = new Headroom({ path: this.environment.path, freeBytes: () => 0 });
    this.commits = new CommitOrder({
      environment: this.environment,
      counters: new Counters(systemClock),
      task,
      reserve: this.reserve,
      waitingMax,
      isLogged,
    });
  }

  #closing: Promise<void> | undefined;

  close(): Promise<void> {
    this.#closing ??= this.commits.close().then(() => this.environment.close());
    return this.#closing;
  }

  commit<R>(
    reads: Reads,
    decide: (rows: readonly (Row | undefined)[], range: readonly Row[]) => Decision<R>,
  ) {
    return this.commits.commit({
      space: SPACE,
      partition: 'p',
      reads,
      decide: ({ keys, range }) => decide(keys, range),
    });
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

  /** The environment's transactions for works. */
  transactions(): number {
    return this.commits.groupCount;
  }

  inTree(key: string): string | undefined {
    this.environment.snapshot.refresh();
    return textOf(this.environment.rows.get(SPACE.id, 'p', key));
  }

  isRecent(key: string): boolean {
    return this.commits.overlay.durable(SPACE.id, 'p', key) !== undefined;
  }

  records(): readonly LogRecord[] {
    return readLog(join(this.directory, LOG_NAME), 1n);
  }

  /** A work that needs the tree: it begins a transaction when the tree has everything decided before it. */
  treeText(key: string): Promise<string | undefined> {
    const run = (): string | undefined => textOf(this.environment.rows.get(SPACE.id, 'p', key));
    return this.commits.submit({ run });
  }

  range(): Promise<readonly string[] | undefined> {
    const reads = { keys: [], range: { from: '', rows: 1000 } };
    return this.commit(reads, (_, range) => ({ result: range.map(row => `${row.key}=${textOf(row)}`) }));
  }

  /** Fences the log as a process does that opens the store and exits: the log is replayed, and its user loses it. */
  async fence(): Promise<void> {
    const { catalog, rows, path } = this.environment;
    await this.environment.transaction(() => fenceLog(catalog));
    await this.environment.transaction(() => replayLog({ catalog, rows, path }));
  }

  async empty(): Promise<void> {
    await until('the tree has all of the log', () => this.commits.overlay.isEmpty);
  }

  /** As a kill leaves it. */
  async copy(t: TestContext): Promise<string> {
    const to = newDirectory(t);
    for (const name of [FILE_NAME, LOG_NAME]) copyFileSync(join(this.directory, name), join(to, name));
    return to;
  }
}
