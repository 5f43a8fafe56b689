// Bare node:http as a subject, the limit of a server on it: it sends the bytes of Shelfmark's answers, and reads and writes files.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getSmall, smallName } from '../blobs/blob-requests.js';
import { rowKey } from '../load/dataset.js';
import { drive, type GeneratorName } from '../load/drive.js';
import { type Answer, getAnswer } from '../load/get-answer.js';
import type { RequestKind } from '../load/job.js';
import * as requests from '../load/requests.js';
import { GROUP_ROWS } from '../load/template.js';
import { ServerProcess } from './server-process.js';
import { CONTAINER, SMALL_BLOBS, sampleOf, TABLE, transfer, transferOf } from './server-subject.js';
import type { Sample, Subject, WorkloadName } from './subject.js';

const SCRIPT = fileURLToPath(new URL('bare-http-process.js', import.meta.url));
const READY = /^bare node:http answers at port (\d+)\n/m;
/** Node adds these itself, with the same values. */
const ADDED_BY_NODE: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

interface BareOptions {
  readonly directory: string;
  /** Shelfmark's, loaded. */
  readonly tables: requests.Endpoint;
  readonly blobs: requests.Endpoint;
  readonly rows: number;
  readonly connections: number;
  readonly generator: GeneratorName;
  readonly megabytes: number;
}

/** What the process reads: the answer to requests whose URLs contain a text, the first that matches. */
export interface RepeatedAnswer {
  readonly text: string;
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

function repeated(text: string, { status, headers, body }: Answer): RepeatedAnswer {
  if (status !== 200) throw new Error(`Shelfmark answers ${status}: ${body}`);
  const isGiven = (_: string, at: number): boolean =>
    !ADDED_BY_NODE.has((headers[at - (at % 2)] ?? '').toLowerCase());
  return { text, status, headers: headers.filter(isGiven), body: body.toString('base64') };
}

export class BareSubject implements Subject {
  readonly name = 'bare';
  readonly process: ServerProcess;
  readonly #options: BareOptions;
  readonly #answers: readonly RepeatedAnswer[];

  private constructor(process: ServerProcess, options: BareOptions, answers: readonly RepeatedAnswer[]) {
    this.process = process;
    this.#options = options;
    this.#answers = answers;
  }

  static async start(options: BareOptions): Promise<BareSubject> {
    const { directory, tables, blobs } = options;
    const range = `PartitionKey eq 'p000000' and RowKey ge '${rowKey(0)}' and RowKey lt '${rowKey(GROUP_ROWS)}'`;
    const entity = `${TABLE}(PartitionKey='p000000',RowKey='${rowKey(0)}')`;
    const answers = [
      repeated('$filter', await getAnswer(tables, `${TABLE}()?$filter=${encodeURIComponent(range)}`)),
      repeated(`/${TABLE}(`, await getAnswer(tables, entity)),
      repeated(`/${CONTAINER}/b`, await getAnswer(blobs, `${CONTAINER}/${smallName(0)}`)),
    ];
    const file = join(directory, 'answers.json');
    writeFileSync(file, JSON.stringify(answers));
    const args = [file, join(directory, 'bare'), String(options.megabytes * 1_000_000)];
    const process = await ServerProcess.start({ name: 'bare', script: SCRIPT, args, ready: READY });
    return new BareSubject(process, options, answers);
  }

  can(workload: WorkloadName): boolean {
    return ['point-get', 'range', 'blob-get', 'download', 'upload', 'upload-blocks'].includes(workload);
  }

  async run(workload: WorkloadName, milliseconds: number): Promise<Sample> {
    const { tables, blobs, rows, connections, generator, megabytes } = this.#options;
    const { port } = this.process;
    const timed = async (kind: RequestKind, of: number, answer: number): Promise<Sample> => {
      const body = Buffer.from(this.#answers[answer]?.body ?? '', 'base64').toString();
      const asked = { ...kind, check: { kind: 'bytes', body } } as const;
      const job = { port, connections, rows: of, first: 0, requests: [asked], milliseconds };
      return sampleOf(await drive(job, generator));
    };
    if (workload === 'range') return timed(requests.range(tables, TABLE), rows, 0);
    if (workload === 'point-get') return timed(requests.pointGet(tables, TABLE), rows, 1);
    if (workload === 'blob-get') return timed(getSmall(blobs, CONTAINER), SMALL_BLOBS, 2);
    if (workload === 'download' || workload === 'upload' || workload === 'upload-blocks')
      return transfer(transferOf(workload, { ...blobs, port }, megabytes));
    throw new TypeError(`Bare node:http has no ${workload}.`);
  }
}
