// Raw LMDB as a subject: hands workloads to its process and takes the results.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resultOf } from '../load/ask-once.js';
import type { JobResult } from '../load/job.js';
import { ServerProcess } from './server-process.js';
import { sampleOf } from './server-subject.js';
import type { Sample, Subject, WorkloadName } from './subject.js';

const SCRIPT = fileURLToPath(new URL('raw-lmdb-process.js', import.meta.url));

const RAW_WORKLOADS = ['point-get', 'range', 'filter', 'insert', 'merge', 'transaction'] as const;
export type RawWorkload = (typeof RAW_WORKLOADS)[number];

export class LmdbSubject implements Subject {
  readonly name = 'lmdb';
  readonly process: ServerProcess;

  private constructor(process: ServerProcess) {
    this.process = process;
  }

  /** Loaded. */
  static async start(directory: string, rows: number): Promise<LmdbSubject> {
    const process = await ServerProcess.start({
      name: 'lmdb',
      script: SCRIPT,
      args: [join(directory, 'raw.mdb'), String(rows)],
      ready: /^raw lmdb is ready\n/m,
      answers: true,
    });
    return new LmdbSubject(process);
  }

  can(workload: WorkloadName): boolean {
    return RAW_WORKLOADS.some(name => name === workload);
  }

  async run(workload: WorkloadName, milliseconds: number): Promise<Sample> {
    return sampleOf(resultOf<JobResult>(await this.process.ask({ workload, milliseconds })));
  }
}
