// A backup during writes and kills, and sometimes killed itself: it must be complete, or restore must refuse it.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Exit, runToEnd } from '../support/spawned-server.js';
import { foundBlobsInStore } from './blobs/found-blobs.js';
import { faultsOfFile, foundInStore } from './found.js';
import { faultsOf, type History } from './history.js';
import type { Journal } from './journal.js';

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
  async faults(histories: readonly History[]): Promise<readonly string[]> {
    const { code, stderr } = await this.#end;
    const isThere = existsSync(join(this.#directory, 'data.mdb'));
    const isRefused = !this.#isKilled && code !== 0;
    const faults = isRefused
      ? [`backup ended with ${code}: ${stderr}`]
      : isThere
        ? await this.#faultsOfContent(histories)
        : await this.#faultsOfRest();
    if (faults.length === 0) await rm(this.#directory, { recursive: true, force: true });
    return faults.map(fault => `backup: ${fault}`);
  }

  async #faultsOfContent(histories: readonly History[]): Promise<readonly string[]> {
    const faults = await faultsOfFile(this.#directory);
    if (faults.length > 0) return faults;
    const moment = { answeredBy: this.#startedAt, askedBy: this.#endedAt };
    const found = new Map([
      ...(await foundInStore(this.#directory)),
      ...(await foundBlobsInStore(this.#directory)),
    ]);
    return faultsOf(histories, found, moment);
  }

  /** What a killed command left is no store for `restore`. */
  async #faultsOfRest(): Promise<readonly string[]> {
    const target = `${this.#directory}-restored`;
    const { code, stdout } = await runToEnd(['restore', this.#directory, '--data', target]);
    this.#journal.note(`restore ends with ${code}`);
    return code === 1 && !existsSync(target) ? [] : [`restore ended with ${code}: ${stdout}`];
  }
}
