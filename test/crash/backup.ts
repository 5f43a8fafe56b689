// A backup during writes and kills, sometimes killed itself: it must be complete, or restore must refuse it.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Journal } from '../histories/journal.js';
import { type Exit, runToEnd } from '../support/spawned-server.js';
import { faultsOfFile } from './file-faults.js';
import type { Works } from './works.js';

export class Backup {
  readonly #directory: string;
  readonly #journal: Journal;
  readonly #startedAt: number;
  readonly #end: Promise<Exit>;
  #endedAt = 0;
  readonly #isKilled: boolean;

  constructor(
    data: string,
    directory: string,
    journal: Journal,
    killedAfterMilliseconds: number | undefined,
  ) {
    this.#directory = directory;
    this.#journal = journal;
    this.#startedAt = journal.note(`backup begins, to be killed after ${killedAfterMilliseconds} ms`);
    this.#isKilled = killedAfterMilliseconds !== undefined;
    const spawning = killedAfterMilliseconds === undefined ? {} : { killedAfterMilliseconds };
    this.#end = runToEnd(['backup', directory, '--data', data], { detached: true, ...spawning }).then(
      exit => {
        this.#endedAt = journal.note(`backup ends with ${exit.code} ${exit.stderr}`);
        return exit;
      },
    );
  }

  /** Waits for its end; returns what is wrong with it, and removes it if nothing is. */
  async faults(works: Works): Promise<readonly string[]> {
    const { code, stderr } = await this.#end;
    const isThere = existsSync(join(this.#directory, 'data.mdb'));
    const isRefused = !this.#isKilled && code !== 0;
    const faults = isRefused
      ? [`backup ended with ${code}: ${stderr}`]
      : isThere
        ? await this.#faultsOfContent(works)
        : await this.#faultsOfRest();
    if (faults.length === 0) await rm(this.#directory, { recursive: true, force: true });
    return faults.map(fault => `backup: ${fault}`);
  }

  async #faultsOfContent(works: Works): Promise<readonly string[]> {
    const faults = await faultsOfFile(this.#directory);
    if (faults.length > 0) return faults;
    const moment = { answeredBy: this.#startedAt, askedBy: this.#endedAt };
    return works.faultsOfCopy(this.#directory, moment);
  }

  /** `restore` must refuse what a killed command left. */
  async #faultsOfRest(): Promise<readonly string[]> {
    const target = `${this.#directory}-restored`;
    const { code, stdout } = await runToEnd(['restore', this.#directory, '--data', target]);
    this.#journal.note(`restore ends with ${code}`);
    return code === 1 && !existsSync(target) ? [] : [`restore ended with ${code}: ${stdout}`];
  }
}
