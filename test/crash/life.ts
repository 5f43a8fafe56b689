// The life of one data directory: rounds in which a server is written to and killed, and before each round the judgement of the state
// that the previous one left.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '#base/testing/until';
import { Random } from '../simulation/plan/random.js';
import {
  blobPortOf,
  queuePortOf,
  runToEnd,
  type SpawnedServer,
  spawnServer,
} from '../support/spawned-server.js';
import { Connection } from '../support/worker-processes.js';
import { Backup } from './backup.js';
import { BlobWork } from './blobs/blob-work.js';
import { faultsOfContents, foundByBlobServer } from './blobs/found-blobs.js';
import { faultsOfFile, faultsOfQueues, foundByServer } from './found.js';
import { type Found, faultsOf, History, THE_END } from './history.js';
import { Journal } from './journal.js';
import { killServer } from './kill.js';
import { foundByPeek, QueueLife } from './queues/queue-life.js';
import { QueueWork } from './queues/queue-work.js';
import { createTableRequest } from './tables/request.js';
import { Slots } from './tables/slots.js';
import { TableLife } from './tables/table-life.js';
import { Writer } from './tables/writer.js';
import { Trigger } from './trigger.js';

const WRITERS_OF_ONE = 6;
const WRITERS_OF_SEVERAL = 12;
const ASIDE = 'aside';
const HANDS_OF_ONE = 3;
const HANDS_OF_SEVERAL = 6;
/** Seconds that messages are hidden for. */
const HIDDEN = [1, 1, 2];
const HIDDEN_MILLISECONDS_MAX = 2200;
/** Longer than a start takes. */
const START_MILLISECONDS_MAX = 700;
const BACKUP_MILLISECONDS_MAX = 1200;
const ROUNDS_A_CHECK = 10;

export interface LifeOptions {
  /** Where the data directory and backups are made. */
  readonly directory: string;
  readonly seed: number;
  readonly workers: number;
  /** Without starts that are killed, backups, and waiting for dropped rows to be cleared away. */
  readonly isBrief?: boolean;
}

/** What is wrong; the first of it ends the life. */
export class Faults extends Error {
  constructor(faults: readonly string[]) {
    super(faults.slice(0, 10).join('\n'));
  }
}

export class Life {
  readonly journal = new Journal();
  /** Writes that were acknowledged. */
  acknowledged = 0;
  readonly #options: LifeOptions;
  readonly #data: string;
  readonly #random: Random;
  readonly #slots: Slots;
  readonly #tables = new History('table crash');
  readonly #tableLife = new TableLife('dropped');
  readonly #queueLife = new QueueLife(ASIDE);
  readonly #work: QueueWork;
  readonly #blobs: BlobWork;
  #lastTick = 0n;

  constructor(options: LifeOptions) {
    this.#options = options;
    this.#data = join(options.directory, 'data');
    this.#random = new Random(options.seed);
    this.#slots = new Slots(this.#random);
    this.#work = new QueueWork({ random: this.#random, journal: this.journal, hidden: HIDDEN });
    this.#blobs = new BlobWork(this.#random, this.journal, options.workers);
  }

  async round(number: number): Promise<void> {
    const random = this.#random;
    this.journal.note(`round ${number}`);
    if (random.happens(0.15) && !this.#options.isBrief) await this.#killStarting();
    const server = await this.#serve();
    try {
      await this.#judge(server);
      await this.#writeUntilKilled(server);
    } finally {
      await server.stop('SIGKILL');
    }
    throwIfAny(await faultsOfFile(this.#data));
    if (number % ROUNDS_A_CHECK === 0) await this.#check();
  }

  /** All is there, what was dropped is cleared away, and the server stops as it should. */
  async end(): Promise<void> {
    const server = await this.#serve();
    try {
      await this.#judge(server);
      if (!this.#options.isBrief) await this.#untilCleared();
      throwIfAny(faultsOf(this.#histories(), await foundNow(server), THE_END));
      if (!this.#options.isBrief) await this.#untilAllIsSeen(server);
      const { code } = await server.stop('SIGTERM');
      if (code !== 0) throw new Faults([`The server ended with ${code}.`]);
    } finally {
      await server.stop('SIGKILL');
    }
    throwIfAny(await faultsOfQueues(this.#data));
    throwIfAny(await faultsOfContents(this.#data));
  }

  /** Whatever is hidden comes out again in its time. */
  async #untilAllIsSeen(server: SpawnedServer): Promise<void> {
    await sleep(HIDDEN_MILLISECONDS_MAX);
    throwIfAny(await this.#work.judge(queuePortOf(server)));
  }

  async #untilCleared(): Promise<void> {
    const isCleared = async () => !(await this.#check()).includes('dropped table');
    await until('the rows of the dropped table are cleared away', isCleared);
  }

  #serve(): Promise<SpawnedServer> {
    return spawnServer(this.#command(), { detached: true });
  }

  #command(): string[] {
    const { workers } = this.#options;
    return ['serve', '--data', this.#data, '--table-port', '0', '--workers', String(workers)];
  }

  async #killStarting(): Promise<void> {
    const killedAfterMilliseconds = this.#random.below(START_MILLISECONDS_MAX);
    this.journal.note(`a start is killed after ${killedAfterMilliseconds} ms`);
    await runToEnd(this.#command(), { detached: true, killedAfterMilliseconds });
  }

  #histories(): History[] {
    const ofOne = [this.#tables, this.#tableLife.history, this.#queueLife.history];
    return [...ofOne, ...this.#blobs.histories(), ...this.#slots.all.map(({ history }) => history)];
  }

  /** What the round before left must fit, and every row must be writable with a version that was never seen. */
  async #judge(server: SpawnedServer): Promise<void> {
    const { port } = server;
    const found = await foundNow(server);
    throwIfAny(faultsOf(this.#histories(), found, THE_END));
    for (const history of this.#histories()) {
      this.#see(history);
      history.settle(found);
    }
    this.#seeFound(found);
    this.#slots.release();
    if (!found.has('crash')) {
      await this.#createTable(port);
      await this.#blobs.make(blobPortOf(server));
    }
    for (const slot of this.#slots.all) {
      const writer = new Writer(this.#writing(port, new Trigger()));
      const least = await writer.rewrite(slot);
      if (least <= this.#lastTick)
        throw new Faults([`${slot.history.owner} got the tick ${least} after ${this.#lastTick}.`]);
    }
    throwIfAny(await this.#work.judge(queuePortOf(server)));
    throwIfAny(await this.#blobs.contest.judge(blobPortOf(server)));
  }

  #see(history: History): void {
    for (const { tick } of history.state().values()) {
      if (tick !== undefined && tick > this.#lastTick) this.#lastTick = tick;
    }
  }

  #seeFound(found: Found): void {
    for (const { tick } of found.values()) if (tick > this.#lastTick) this.#lastTick = tick;
  }

  async #createTable(port: number): Promise<void> {
    const connection = new Connection(port);
    this.#tables.ask(
      new Map([['crash', { text: 'a table', tick: 0n }]]),
      this.journal.note('? create crash'),
    );
    const { status, body } = await connection.request(createTableRequest('crash'));
    connection.close();
    if (status !== 204) throw new Faults([`The table was answered ${status} ${body}`]);
    this.#tables.acknowledge(new Map(), this.journal.note('! create crash'));
  }

  #writing(port: number, watch: Trigger) {
    return { port, slots: this.#slots, journal: this.journal, watch };
  }

  async #writeUntilKilled(server: SpawnedServer): Promise<void> {
    const random = this.#random;
    const trigger = new Trigger();
    const { port } = server;
    const [writerCount, handCount] =
      this.#options.workers > 1 ? [WRITERS_OF_SEVERAL, HANDS_OF_SEVERAL] : [WRITERS_OF_ONE, HANDS_OF_ONE];
    const writers = Array.from({ length: writerCount }, () => new Writer(this.#writing(port, trigger)));
    // Without work that needs the current tree, all writes go to the log.
    const isLogged = random.happens(0.5);
    const hands = this.#work.hands(isLogged ? 0 : handCount, queuePortOf(server), trigger);
    const blobs = this.#blobs.clients(blobPortOf(server), trigger);
    const lives = [
      () => this.#tableLife.run(port, this.journal),
      () => this.#queueLife.run(queuePortOf(server), this.journal),
    ];
    const runs = Promise.allSettled([
      ...[...writers, ...hands, ...blobs].map(one => one.run()),
      ...(isLogged ? [] : lives).map(run => run()),
    ]);
    const backup = random.happens(0.5) && !this.#options.isBrief ? this.#backup() : undefined;
    try {
      if (backup !== undefined) await sleep(random.below(BACKUP_MILLISECONDS_MAX));
      await killServer(server, trigger, random);
      this.journal.note('killed');
    } finally {
      for (const one of [...writers, ...hands, ...blobs, this.#tableLife, this.#queueLife]) one.stop();
      for (const run of await runs) if (run.status === 'rejected') throwIfAny([String(run.reason.stack)]);
    }
    this.acknowledged += trigger.count;
    const others = [this.#tableLife, this.#queueLife, this.#work.ledger];
    throwIfAny([...writers, ...blobs, ...others].flatMap(({ faults }) => faults));
    throwIfAny((await backup?.faults(this.#histories())) ?? []);
  }

  #backup(): Backup {
    const directory = join(this.#options.directory, `backup-${randomUUID()}`);
    const killed = this.#random.happens(0.4) ? this.#random.below(BACKUP_MILLISECONDS_MAX) : undefined;
    return new Backup(this.#data, directory, this.journal, killed);
  }

  async #check(): Promise<string> {
    const { code, stdout, stderr } = await runToEnd(['check', this.#data]);
    if (code !== 0) throw new Faults([`check ended with ${code}: ${stdout}${stderr}`]);
    return stdout;
  }
}

async function foundNow(server: SpawnedServer): Promise<Found> {
  const [tables, aside] = [await foundByServer(server.port), await foundByPeek(queuePortOf(server), ASIDE)];
  return new Map([...tables, ...aside, ...(await foundByBlobServer(blobPortOf(server)))]);
}

function throwIfAny(faults: readonly string[]): void {
  if (faults.length > 0) throw new Faults(faults);
}
