// Starts the subjects on a table of some rows and fills it. Loaded subjects are paused while others load.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { GeneratorName } from '../load/drive.js';
import { formatCount } from '../text-table.js';
import { type Account, makeAccount } from './account.js';
import { startAzurite } from './azurite.js';
import { BareContestant } from './bare-contestant.js';
import type { Contestant, SubjectName } from './contestant.js';
import { LmdbContestant } from './lmdb-contestant.js';
import type { ServerProcess } from './server-process.js';
import { type Durability, type ShelfmarkOptions, startShelfmark } from './shelfmark.js';
import { TableContestant } from './table-contestant.js';
import { holdStill } from './turn.js';

export interface ArenaOptions {
  /** The invocation's directory; each subject gets a folder in it. */
  readonly directory: string;
  readonly connections: number;
  readonly durability: Durability;
  /** Number of Shelfmark's processes. */
  readonly workers: number;
  readonly generator: GeneratorName;
  readonly say: (line: string) => void;
}

/** Bytes of a loaded row in each subject's storage differ; the loading time is only reported, not compared. */
async function timed(
  contestant: Contestant & { load(): Promise<void> },
  rows: number,
  say: (line: string) => void,
): Promise<void> {
  const start = performance.now();
  await contestant.load();
  const seconds = (performance.now() - start) / 1000;
  say(`${contestant.name}: ${formatCount(rows)} rows in ${seconds.toFixed(1)} s`);
}

export class Arena {
  readonly contestants: Contestant[] = [];
  readonly #options: ArenaOptions;
  readonly account: Account = makeAccount();
  readonly #folder: string;
  readonly #rows: number;

  constructor(rows: number, options: ArenaOptions) {
    this.#rows = rows;
    this.#options = options;
    this.#folder = join(options.directory, String(rows));
    mkdirSync(this.#folder);
  }

  /** The directory of Shelfmark's data. */
  get shelfmarkDirectory(): string {
    return join(this.#folder, 'shelfmark');
  }

  #shelfmarkOptions(): ShelfmarkOptions {
    const { durability, workers } = this.#options;
    return { directory: this.shelfmarkDirectory, account: this.account, durability, workers };
  }

  #onTables(name: string, process: ServerProcess, generator: GeneratorName, data?: string): TableContestant {
    const { connections } = this.#options;
    const { name: account, signature } = this.account;
    const endpoint = { port: process.port, account, signature };
    return new TableContestant({ name, process, endpoint, rows: this.#rows, connections, generator, data });
  }

  /** A server on this arena's data, as it is. */
  async startShelfmark(name = 'shelfmark', profile?: ShelfmarkOptions['profile']): Promise<TableContestant> {
    const options = this.#shelfmarkOptions();
    const process = await startShelfmark(profile ? { ...options, profile } : options);
    return this.#onTables(name, process, this.#options.generator, options.directory);
  }

  async #loaded(contestant: Contestant & { load(): Promise<void> }): Promise<void> {
    this.contestants.push(contestant);
    await timed(contestant, this.#rows, this.#options.say);
  }

  async addShelfmark(name = 'shelfmark'): Promise<TableContestant> {
    const shelfmark = await this.startShelfmark(name);
    await this.#loaded(shelfmark);
    return shelfmark;
  }

  /**
   * By the built-in generator, which waits for the answers to all its requests. wrk drops requests when its time is up,
   * which is half of the work of a server that answers every two seconds; such a server must not seem slower than it
   * is.
   */
  async #addAzurite(): Promise<void> {
    const process = await startAzurite(join(this.#folder, 'azurite'), this.account);
    await this.#loaded(this.#onTables('azurite', process, 'built-in'));
  }

  async #addLmdb(): Promise<void> {
    await this.#loaded(await LmdbContestant.start(this.#folder, this.#rows, this.#options.durability));
  }

  /** Loads the subjects one after the other. Shelfmark is always included, because bare node:http repeats its answers. */
  async addAll(subjects: readonly SubjectName[]): Promise<void> {
    const { connections, generator } = this.#options;
    const model = await this.addShelfmark();
    if (subjects.includes('bare')) {
      this.contestants.push(
        await BareContestant.start({ directory: this.#folder, connections, generator, model }),
      );
    }
    holdStill(model);
    if (subjects.includes('lmdb')) await this.#addLmdb();
    for (const contestant of this.contestants) holdStill(contestant);
    if (subjects.includes('azurite')) await this.#addAzurite();
  }

  /** Starts a server on the data again and again; returns the milliseconds until each was ready. */
  async readyTimes(subject: 'shelfmark' | 'azurite', count: number): Promise<readonly number[]> {
    const times: number[] = [];
    for (let run = 0; run < count; run++) {
      const process =
        subject === 'shelfmark'
          ? await startShelfmark(this.#shelfmarkOptions())
          : await startAzurite(join(this.#folder, 'azurite'), this.account);
      times.push(process.readyMilliseconds);
      await process.stop();
    }
    return times;
  }

  async stop(): Promise<void> {
    for (const contestant of this.contestants) await contestant.stop();
  }
}
