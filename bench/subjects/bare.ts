// Bare node:http as a subject, the limit of a server on it: it sends the bytes of Shelfmark's answers, and reads and writes files.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, type Kind, requestFiller } from '../load/request.js';
import * as requests from '../load/requests.js';
import { transfer } from '../load/transfers.js';
import { CONTAINER, type Endpoints, HttpSubject, TABLE } from './http-subject.js';
import { ServerProcess } from './server-process.js';

const SCRIPT = fileURLToPath(new URL('bare-process.js', import.meta.url));
const READY = /^bare node:http answers at port (\d+)\n/m;
/** Node adds these itself, with the same values. */
const ADDED_BY_NODE = ['date', 'connection', 'keep-alive', 'transfer-encoding'];

/** The answer to requests whose URLs contain a text, the first that matches. */
export interface RepeatedAnswer {
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** In base64. */
  readonly body: string;
}

/** `at` are Shelfmark's, which is loaded. */
export async function startBare(directory: string, at: Endpoints, rows: number): Promise<HttpSubject> {
  const repeated = async (text: string, port: number, { request, check }: Kind): Promise<RepeatedAnswer> => {
    const answer = await ask(port, requestFiller(request, rows)(0));
    check(answer, 0, 0);
    const headers = Object.entries(answer.headers).filter(([name]) => !ADDED_BY_NODE.includes(name));
    return { text, headers: Object.fromEntries(headers), body: answer.body.toString('base64') };
  };
  const answers = [
    await repeated('$filter', at.tables.port, requests.range(at.tables, TABLE)),
    await repeated(`/${TABLE}(`, at.tables.port, requests.pointGet(at.tables, TABLE)),
    await repeated(`/${CONTAINER}/b`, at.blobs.port, requests.getBlob(at.blobs, CONTAINER)),
  ];
  const file = join(directory, 'answers.json');
  writeFileSync(file, JSON.stringify(answers));
  const args = [file, join(directory, 'large')];
  const process = await ServerProcess.start({ name: 'bare', script: SCRIPT, args, ready: READY });
  const [port = 0] = process.ports;
  const own = { ...at.tables, port };
  await transfer('upload', own, CONTAINER);
  return new HttpSubject('bare', process, { tables: own, queues: own, blobs: own }, rows);
}
