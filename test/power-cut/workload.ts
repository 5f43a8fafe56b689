// The recorded workload: two lives of a server on one data directory with several clients, the first killed and the
// second stopped; a backup during it, and its restore.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '#base/testing/until';
import { isGroupAlive } from '../crash/kill.js';
import { Works } from '../crash/works.js';
import { Journal } from '../histories/journal.js';
import { Trigger } from '../histories/trigger.js';
import { between, type Draw } from '../random/arbitrary.js';
import {
  blobPortOf,
  queuePortOf,
  runToEnd,
  type SpawnedServer,
  spawnServer,
} from '../support/spawned-server.js';
import { isAlive } from '../support/worker-processes.js';
import { plantingEnvironment, type ServerFault } from './planted-server.js';
import { type Recorded, recordingEnvironment } from './recorder.js';

const WRITERS = 5;
const WRITERS_BESIDE_BLOBS = 2;
const BLOB_WRITERS = 3;
/** Answers to the writers of one life. */
const ANSWERS = 150;

export interface WorkloadOptions extends Recorded {
  readonly workers: number;
  readonly durability: 'full' | 'none';
  readonly hasBackup: boolean;
  /** Also creates and drops tables and queues, which needs the tree as it is; otherwise all writes go to the log. */
  readonly hasOthers: boolean;
  readonly hasBlobs: boolean;
  readonly fault?: ServerFault;
  readonly draw: Draw;
}

/** A directory made by `backup` or `restore`: whole from `doneAt` on at the latest. */
export interface Copy {
  readonly name: string;
  /** Everything acknowledged before it began is in it. */
  readonly startedAt: number;
  readonly doneAt: number;
}

export class Workload {
  readonly journal: Journal;
  readonly works: Works;
  readonly copies: Copy[] = [];
  /** When the first server was ready. */
  readyAt = 0;
  readonly #options: WorkloadOptions;
  readonly #env: NodeJS.ProcessEnv;

  constructor(options: WorkloadOptions) {
    this.#options = options;
    this.#env = {
      ...recordingEnvironment(options),
      ...(options.fault === undefined ? {} : plantingEnvironment(options.fault)),
    };
    this.journal = new Journal(() => statSync(options.log).size);
    const { draw, workers } = options;
    this.works = new Works({ draw, journal: this.journal, isOfOne: workers === 1 });
  }

  get hasBlobs(): boolean {
    return this.#options.hasBlobs;
  }

  async run(): Promise<void> {
    const first = await this.#serve();
    this.readyAt = this.journal.note('ready');
    await this.#write(first, 'first', async () => {
      process.kill(-first.pid, 'SIGKILL');
      await until('all are gone', () => !isAlive(first.pid) && !isGroupAlive(first.pid));
      await first.stop('SIGKILL');
    });
    const second = await this.#serve();
    await this.#write(second, 'second', async () => {
      if (this.#options.hasBackup) await this.#copy('backup', 'backup', 'data');
    });
    if (this.#options.hasBackup) await this.#restore();
    await second.stop('SIGTERM');
  }

  #serve(): Promise<SpawnedServer> {
    const { root, workers, durability } = this.#options;
    const args = ['--data', join(root, 'data'), '--table-port', '0', '--workers', String(workers)];
    const env = this.#env;
    return spawnServer(['serve', ...args, '--durability', durability], { detached: true, env });
  }

  /** `name` is that of a table and of a queue, and a prefix of containers' names. */
  async #write(server: SpawnedServer, name: string, end: () => Promise<void>): Promise<void> {
    const [table, queue, blob] = [server.port, queuePortOf(server), blobPortOf(server)];
    const { draw, hasBlobs, hasOthers } = this.#options;
    const { works } = this;
    const watch = new Trigger();
    const owners = Array.from({ length: hasBlobs ? BLOB_WRITERS : 0 }, (_, at) => `${name}${at}`);
    const runners = [
      ...works.table.writers(hasBlobs ? WRITERS_BESIDE_BLOBS : WRITERS, table, watch),
      ...(hasOthers ? [works.table.life(name, table, watch), works.queue.life(name, queue, watch)] : []),
      ...works.blob.writers(owners, blob, watch),
    ];
    const runs = Promise.all(runners.map(one => one.run()));
    try {
      const enough = draw(between(ANSWERS / 2, ANSWERS));
      await until(`${enough} writes are answered`, () => watch.count >= enough);
      await end();
    } finally {
      for (const one of runners) one.stop();
      await runs;
    }
    for (const { ledger } of works.all) ledger.settle();
    if (works.faults.length > 0) throw new Error(works.faults.join('\n'));
  }

  async #copy(command: 'backup' | 'restore', to: string, from: string): Promise<void> {
    const { root } = this.#options;
    const startedAt = this.journal.note(`? ${command}`);
    const [target, source] = [join(root, to), join(root, from)];
    const args = command === 'backup' ? [target, '--data', source] : [source, '--data', target];
    const { code, stderr } = await runToEnd([command, ...args], { env: this.#env });
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${stderr}`);
    this.copies.push({ name: to, startedAt, doneAt: this.journal.note(`! ${command}`) });
  }

  /** The copy of a copy has the same content. */
  async #restore(): Promise<void> {
    const backup = this.copies[0];
    await this.#copy('restore', 'restored', 'backup');
    const restored = this.copies.pop();
    if (backup === undefined || restored === undefined) throw new Error('There is no backup.');
    this.copies.push({ ...restored, startedAt: backup.startedAt });
  }
}
