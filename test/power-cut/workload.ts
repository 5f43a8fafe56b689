// The recorded workload: two lives of a server on one data directory with several clients, the first killed and the second stopped;
// a backup while a server runs, and its restore.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '#base/testing/until';
import { BlobLife } from '../crash/blobs/blob-life.js';
import { createContainer } from '../crash/blobs/blob-work.js';
import { containerPath } from '../crash/blobs/found-blobs.js';
import { History } from '../crash/history.js';
import { Journal } from '../crash/journal.js';
import { QueueLife } from '../crash/queues/queue-life.js';
import { createTableRequest } from '../crash/tables/request.js';
import { Slots } from '../crash/tables/slots.js';
import { TableLife } from '../crash/tables/table-life.js';
import { Writer } from '../crash/tables/writer.js';
import { Trigger } from '../crash/trigger.js';
import type { Random } from '../simulation/plan/random.js';
import {
  blobPortOf,
  queuePortOf,
  runToEnd,
  type SpawnedServer,
  spawnServer,
} from '../support/spawned-server.js';
import { Connection, isAlive } from '../support/worker-processes.js';
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
  /** Tables and queues are made and dropped too, which needs the tree as it is; otherwise all that is written goes to the log. */
  readonly hasOthers: boolean;
  readonly hasBlobs: boolean;
  readonly fault?: ServerFault;
  readonly random: Random;
}

/** A directory made by `backup` or `restore`: whole from `doneAt` on at the latest. */
export interface Copy {
  readonly name: string;
  /** What was answered before it began is in it. */
  readonly startedAt: number;
  readonly doneAt: number;
}

export class Workload {
  readonly journal: Journal;
  readonly copies: Copy[] = [];
  /** Where the first server was ready. */
  readyAt = 0;
  readonly #options: WorkloadOptions;
  readonly #env: NodeJS.ProcessEnv;
  readonly #slots: Slots;
  readonly #histories: History[] = [];

  constructor(options: WorkloadOptions) {
    this.#options = options;
    this.#env = {
      ...recordingEnvironment(options),
      ...(options.fault === undefined ? {} : plantingEnvironment(options.fault)),
    };
    this.#slots = new Slots(options.random);
    this.journal = new Journal(() => statSync(options.log).size);
  }

  get hasBlobs(): boolean {
    return this.#options.hasBlobs;
  }

  get histories(): readonly History[] {
    return [...this.#histories, ...this.#slots.all.map(({ history }) => history)];
  }

  async run(): Promise<void> {
    const first = await this.#serve();
    this.readyAt = this.journal.note('ready');
    await this.#createTable(first.port);
    if (this.#options.hasBlobs) await this.#createContainer(first);
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

  async #createTable(port: number): Promise<void> {
    const history = new History('table crash');
    this.#histories.push(history);
    const connection = new Connection(port);
    history.ask(new Map([['crash', { text: 'a table', tick: 0n }]]), this.journal.note('? create crash'));
    const { status, body } = await connection.request(createTableRequest('crash'));
    connection.close();
    if (status !== 204) throw new Error(`The table was answered ${status} ${body}`);
    history.acknowledge(new Map(), this.journal.note('! create crash'));
  }

  async #createContainer(server: SpawnedServer): Promise<void> {
    const history = new History(containerPath);
    this.#histories.push(history);
    await createContainer(history, blobPortOf(server), this.journal);
  }

  /** `name` is that of a table and of a queue, and blobs' names begin with it. */
  async #write(server: SpawnedServer, name: string, end: () => Promise<void>): Promise<void> {
    const { port } = server;
    const [tableLife, queueLife] = [new TableLife(name), new QueueLife(name)];
    const { random, hasBlobs, hasOthers } = this.#options;
    const blobLives = Array.from(
      { length: hasBlobs ? BLOB_WRITERS : 0 },
      (_, at) => new BlobLife(`${name}${at}`, random),
    );
    this.#histories.push(tableLife.history, queueLife.history, ...blobLives.map(({ history }) => history));
    const watch = new Trigger();
    const options = { port, slots: this.#slots, journal: this.journal, watch };
    const writers = Array.from(
      { length: hasBlobs ? WRITERS_BESIDE_BLOBS : WRITERS },
      () => new Writer(options),
    );
    const lives = [
      () => tableLife.run(port, this.journal),
      () => queueLife.run(queuePortOf(server), this.journal),
    ];
    const runs = Promise.all([
      ...writers.map(writer => writer.run()),
      ...(hasOthers ? lives : []).map(run => run()),
      ...blobLives.map(life => life.watched(blobPortOf(server), watch).run(blobPortOf(server), this.journal)),
    ]);
    try {
      const enough = random.between(ANSWERS / 2, ANSWERS);
      await until(`${enough} writes are answered`, () => watch.count >= enough);
      await end();
    } finally {
      for (const one of [...writers, tableLife, queueLife, ...blobLives]) one.stop();
      await runs;
    }
    const faults = [...writers, tableLife, queueLife, ...blobLives].flatMap(({ faults }) => faults);
    if (faults.length > 0) throw new Error(faults.join('\n'));
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

  /** The copy of a copy has what that had. */
  async #restore(): Promise<void> {
    const backup = this.copies[0];
    await this.#copy('restore', 'restored', 'backup');
    const restored = this.copies.pop();
    if (backup === undefined || restored === undefined) throw new Error('There is no backup.');
    this.copies.push({ ...restored, startedAt: backup.startedAt });
  }
}

function isGroupAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}
