// The life of one data directory: rounds in which a server is written to and killed, and before each round a judgement
// of the state that the previous one left.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '#base/testing/until';
import type { Runner } from '../histories/hand.js';
import { Journal } from '../histories/journal.js';
import { Trigger } from '../histories/trigger.js';
import { HIDDEN_MILLISECONDS_MAX } from '../queues/shared-turn.js';
import { below, chance, type Draw, drawFrom } from '../random/arbitrary.js';
import {
  blobPortOf,
  queuePortOf,
  runToEnd,
  type SpawnedServer,
  spawnServer,
} from '../support/spawned-server.js';
import { Connection } from '../support/worker-processes.js';
import { Backup } from './backup.js';
import { faultsOfContents, faultsOfFile, faultsOfQueues } from './file-faults.js';
import { killServer } from './kill.js';
import { Works } from './works.js';

const WRITERS_OF_ONE = 6;
const WRITERS_OF_SEVERAL = 12;
const HANDS_OF_ONE = 3;
const HANDS_OF_SEVERAL = 6;
const BLOB_WRITERS_OF_ONE = 3;
const BLOB_WRITERS_OF_SEVERAL = 6;
/** Longer than a start takes. */
const START_MILLISECONDS_MAX = 700;
const BACKUP_MILLISECONDS_MAX = 1200;
const ROUNDS_A_CHECK = 10;

interface LifeOptions {
  /** The parent of the data directory and of backups. */
  readonly directory: string;
  readonly seed: number;
  readonly workers: number;
  /** Without killed starts, backups, and waiting for dropped rows to be reclaimed. */
  readonly isBrief?: boolean;
}

/** What is wrong; the first fault ends the life. */
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
  readonly #draw: Draw;
  readonly #works: Works;

  constructor(options: LifeOptions) {
    this.#options = options;
    this.#data = join(options.directory, 'data');
    this.#draw = drawFrom(options.seed);
    this.#works = new Works({ draw: this.#draw, journal: this.journal, isOfOne: options.workers === 1 });
  }

  async round(number: number): Promise<void> {
    const draw = this.#draw;
    this.journal.note(`round ${number}`);
    if (draw(chance(15)) && !this.#options.isBrief) await this.#killStarting();
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

  /** Everything is there, what was dropped is reclaimed, and the server stops as it should. */
  async end(): Promise<void> {
    const server = await this.#serve();
    try {
      await this.#judge(server);
      if (!this.#options.isBrief) await this.#untilCleared();
      // Hidden messages become visible again in time.
      if (!this.#options.isBrief) await sleep(HIDDEN_MILLISECONDS_MAX);
      await this.#judge(server);
      const { code } = await server.stop('SIGTERM');
      if (code !== 0) throw new Faults([`The server ended with ${code}.`]);
    } finally {
      await server.stop('SIGKILL');
    }
    throwIfAny(await faultsOfQueues(this.#data));
    throwIfAny(await faultsOfContents(this.#data));
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
    const killedAfterMilliseconds = this.#draw(below(START_MILLISECONDS_MAX));
    this.journal.note(`a start is killed after ${killedAfterMilliseconds} ms`);
    await runToEnd(this.#command(), { detached: true, killedAfterMilliseconds });
  }

  /** The result of the previous round must fit. */
  async #judge(server: SpawnedServer): Promise<void> {
    for (const [work, port] of [
      [this.#works.table, server.port],
      [this.#works.queue, queuePortOf(server)],
      [this.#works.blob, blobPortOf(server)],
    ] as const) {
      const connection = new Connection(port);
      throwIfAny(await work.judge(connection));
      connection.close();
    }
  }

  async #writeUntilKilled(server: SpawnedServer): Promise<void> {
    const draw = this.#draw;
    const trigger = new Trigger();
    const runners = this.#runners(server, trigger);
    const runs = Promise.allSettled(runners.map(one => one.run()));
    const backup = draw(chance(50)) && !this.#options.isBrief ? this.#backup() : undefined;
    try {
      if (backup !== undefined) await sleep(draw(below(BACKUP_MILLISECONDS_MAX)));
      await killServer(server, trigger, draw);
      this.journal.note('killed');
    } finally {
      for (const one of runners) one.stop();
      for (const run of await runs) if (run.status === 'rejected') throwIfAny([String(run.reason.stack)]);
    }
    this.acknowledged += trigger.count;
    throwIfAny(this.#works.faults);
    throwIfAny((await backup?.faults(this.#works)) ?? []);
  }

  #runners(server: SpawnedServer, watch: Trigger): readonly Runner[] {
    const [table, queue, blob] = [server.port, queuePortOf(server), blobPortOf(server)];
    const { table: tables, queue: queues, blob: blobs } = this.#works;
    const isOfOne = this.#options.workers === 1;
    const owners = isOfOne ? BLOB_WRITERS_OF_ONE : BLOB_WRITERS_OF_SEVERAL;
    const logged = [
      ...tables.writers(isOfOne ? WRITERS_OF_ONE : WRITERS_OF_SEVERAL, table, watch),
      ...blobs.writers(
        Array.from({ length: owners }, (_, at) => `own${at}`),
        blob,
        watch,
      ),
      ...blobs.contestants(blob, watch),
      ...blobs.readers(blob, watch),
    ];
    // If nothing needs the tree as it is, all writes go to the log.
    if (this.#draw(chance(50))) return logged;
    return [
      ...logged,
      ...queues.hands(isOfOne ? HANDS_OF_ONE : HANDS_OF_SEVERAL, queue, watch),
      tables.life('dropped', table, watch),
      queues.life('aside', queue, watch),
    ];
  }

  #backup(): Backup {
    const directory = join(this.#options.directory, `backup-${randomUUID()}`);
    const killed = this.#draw(chance(40)) ? this.#draw(below(BACKUP_MILLISECONDS_MAX)) : undefined;
    return new Backup(this.#data, directory, this.journal, killed);
  }

  async #check(): Promise<string> {
    const { code, stdout, stderr } = await runToEnd(['check', this.#data]);
    if (code !== 0) throw new Faults([`check ended with ${code}: ${stdout}${stderr}`]);
    return stdout;
  }
}

function throwIfAny(faults: readonly string[]): void {
  if (faults.length > 0) throw new Faults(faults);
}
