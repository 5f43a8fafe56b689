// Raw LMDB as a subject: hands workloads to its process and takes the results.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeReply } from '../load/job.js';
import { type Contestant, type Sample, sampleOf, type WorkloadName } from './contestant.js';
import { ServerProcess } from './server-process.js';
import type { Durability } from './shelfmark.js';

const SCRIPT = fileURLToPath(new URL('raw-lmdb-process.js', import.meta.url));

export class LmdbContestant implements Contestant {
  readonly name = 'lmdb';
  readonly processes: readonly ServerProcess[];
  readonly #process: ServerProcess;
  readonly #rows: number;

  private constructor(process: ServerProcess, rows: number) {
    this.#process = process;
    this.processes = [process];
    this.#rows = rows;
  }

  static async start(directory: string, rows: number, durability: Durability): Promise<LmdbContestant> {
    const process = await ServerProcess.start({
      name: 'lmdb',
      script: SCRIPT,
      args: [join(directory, 'raw.mdb'), String(rows), durability],
      ready: /^raw lmdb is ready\n/,
      answers: true,
    });
    return new LmdbContestant(process, rows);
  }

  can(_workload: WorkloadName): boolean {
    return true;
  }

  async load(): Promise<void> {
    decodeReply(await this.#process.ask({ load: true }));
  }

  async run(workload: WorkloadName, milliseconds: number): Promise<Sample> {
    const result = decodeReply(await this.#process.ask({ workload, milliseconds }));
    if (result === undefined) throw new Error('Raw LMDB told nothing.');
    return sampleOf(result, workload, this.#rows);
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}
