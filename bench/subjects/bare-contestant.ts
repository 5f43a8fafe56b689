// Bare node:http as a subject: a process for each answer that it serves, with the bytes of Shelfmark's answer.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expectedProperties, rowKey } from '../load/dataset.js';
import { drive, type GeneratorName } from '../load/drive.js';
import { type Answer, getAnswer, getEntity } from '../load/get-answer.js';
import * as requests from '../load/requests.js';
import { GROUP_ROWS } from '../load/template.js';
import { type Contestant, type Sample, sampleOf, type WorkloadName } from './contestant.js';
import { ServerProcess } from './server-process.js';
import { TABLE, type TableContestant } from './table-contestant.js';

const SCRIPT = fileURLToPath(new URL('bare-http-process.js', import.meta.url));
const READY = /^bare node:http answers at port (\d+)\n/m;
/** Node adds these itself, with the same values. */
const ADDED_BY_NODE: ReadonlySet<string> = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding']);

const givenHeaders = ({ headers }: Answer): string[] =>
  headers.filter((_, index) => {
    const name = headers[index - (index % 2)] ?? '';
    return !ADDED_BY_NODE.has(name.toLowerCase());
  });

interface Served {
  readonly process: ServerProcess;
  readonly body: string;
}

async function serveAnswer(answer: Answer, file: string): Promise<Served> {
  if (answer.status !== 200) throw new Error(`Shelfmark answers ${answer.status}: ${answer.body}`);
  const { status, body } = answer;
  writeFileSync(
    file,
    JSON.stringify({ status, headers: givenHeaders(answer), body: body.toString('base64') }),
  );
  const process = await ServerProcess.start({ name: 'bare', script: SCRIPT, args: [file], ready: READY });
  return { process, body: body.toString() };
}

export interface BareOptions {
  readonly directory: string;
  readonly connections: number;
  readonly generator: GeneratorName;
  /** Its answers are repeated, and its requests are sent here. */
  readonly model: TableContestant;
}

export class BareContestant implements Contestant {
  readonly name = 'bare';
  readonly #options: BareOptions;
  readonly #entity: Served;
  readonly #range: Served;

  private constructor(options: BareOptions, entity: Served, range: Served) {
    this.#options = options;
    this.#entity = entity;
    this.#range = range;
  }

  /** Gets the answers from the model, which must be running. */
  static async start(options: BareOptions): Promise<BareContestant> {
    const { model, directory } = options;
    const properties = expectedProperties(0);
    const until = rowKey(GROUP_ROWS);
    const filter = `PartitionKey eq '${properties.PartitionKey}' and RowKey ge '${rowKey(0)}' and RowKey lt '${until}'`;
    const entity = await getEntity(model.endpoint, TABLE, properties);
    const range = await getAnswer(model.endpoint, `${TABLE}()?$filter=${encodeURIComponent(filter)}`);
    return new BareContestant(
      options,
      await serveAnswer(entity, join(directory, 'bare-entity.json')),
      await serveAnswer(range, join(directory, 'bare-range.json')),
    );
  }

  get processes(): readonly ServerProcess[] {
    return [this.#entity.process, this.#range.process];
  }

  can(workload: WorkloadName): boolean {
    return workload === 'point-get' || workload === 'range';
  }

  async stop(): Promise<void> {
    for (const process of this.processes) await process.stop();
  }

  async run(workload: WorkloadName, milliseconds: number): Promise<Sample> {
    const { connections, generator, model } = this.#options;
    const isPoint = workload === 'point-get';
    const kind = isPoint ? requests.pointGet(model.endpoint, TABLE) : requests.range(model.endpoint, TABLE);
    const { process, body } = isPoint ? this.#entity : this.#range;
    const job = {
      port: process.port,
      connections,
      rows: model.rows,
      requests: [{ ...kind, check: { kind: 'bytes', body } as const }],
      first: 0,
      milliseconds,
    };
    return sampleOf(await drive(job, generator), workload, model.rows);
  }
}
