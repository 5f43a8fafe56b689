// One client of a few blobs: writes each whole, some only if unchanged since it was read, deletes and reads them.
// judge/blobs.ts judges the answers.

import { rawBlobRequest } from '../../../crash/blobs/blob-request.js';
import { partsOf, partText, showParts } from '../../../crash/blobs/parts.js';
import type { Journal } from '../../../crash/journal.js';
import type { Random } from '../../../simulation/plan/random.js';
import type { BlobAnswer, BlobHappening, BlobQuestion } from '../judge/blobs.js';
import { type Asking, isRefused } from './client.js';

export const CONTAINER = 'faults';
/** Less than a chunk of the engine, more than one, and more than are read at a time. */
const LENGTHS = [100, 300_000, 1_200_000] as const;
const FAILED = 500;

export interface BlobHistory {
  readonly journal: Journal;
  readonly happenings: BlobHappening[];
  readonly faults: string[];
  steps: number;
}

export interface BlobWriterOptions {
  readonly number: number;
  readonly asking: Asking;
  readonly random: Random;
  readonly history: BlobHistory;
  readonly blobs: readonly string[];
}

export class BlobWriter {
  readonly #options: BlobWriterOptions;
  readonly #etags = new Map<string, string>();
  #version = 0;

  constructor(options: BlobWriterOptions) {
    this.#options = options;
  }

  async turn(): Promise<void> {
    const { random, blobs } = this.#options;
    const blob = random.pick(blobs);
    await random.weighted<() => Promise<unknown>>([
      [3, () => this.#put(blob)],
      [2, () => this.#put(blob, this.#etags.get(blob))],
      [1, () => this.#ask(blob, { kind: 'delete' })],
      [4, () => this.read(blob)],
    ])();
  }

  async read(blob: string): Promise<boolean> {
    return (await this.#ask(blob, { kind: 'get' })) !== undefined;
  }

  async #put(blob: string, ifMatch?: string): Promise<void> {
    this.#version += 1;
    const { number, random } = this.#options;
    const part = { owner: `b${number}`, version: this.#version, at: 1, of: 1, length: random.pick(LENGTHS) };
    await this.#ask(blob, { kind: 'put', text: showParts([part]), ifMatch }, partText(part));
  }

  async #ask(blob: string, question: BlobQuestion, body?: string): Promise<BlobAnswer | undefined> {
    const { history, asking, number } = this.#options;
    history.steps += 1;
    const what = `blob ${number} ${history.steps} ${JSON.stringify(question)} ${blob}`;
    const happening: BlobHappening = {
      step: history.steps,
      blob,
      invoked: history.journal.note(`? ${what}`),
      answered: Number.POSITIVE_INFINITY,
      question,
      answer: undefined,
    };
    const method = ({ put: 'PUT', get: 'GET', delete: 'DELETE' } as const)[question.kind];
    const headers = {
      ...(question.kind === 'put' && { 'x-ms-blob-type': 'BlockBlob' }),
      ...(question.kind === 'put' && question.ifMatch !== undefined && { 'If-Match': question.ifMatch }),
    };
    const request = rawBlobRequest({
      method,
      path: `${CONTAINER}/${blob}`,
      headers,
      ...(body !== undefined && { body }),
    });
    const reply = await asking.ask(question.kind !== 'get', request);
    if (!('status' in reply) || reply.status >= FAILED) {
      history.journal.note(`- ${what} ${'status' in reply ? `${reply.status} ${reply.body}` : reply.error}`);
      if ('status' in reply || !isRefused(reply.error)) history.happenings.push(happening);
      return undefined;
    }
    happening.answered = history.journal.note(`! ${what} ${reply.status} ${reply.headers.etag ?? ''}`);
    const etag = String(reply.headers.etag ?? '');
    const parts = question.kind === 'get' && reply.status === 200 ? partsOf(reply.body) : [];
    if (typeof parts === 'string') history.faults.push(`${what}: ${parts}`);
    else happening.answer = { status: reply.status, etag, text: showParts(parts) };
    if (etag !== '') this.#etags.set(blob, etag);
    history.happenings.push(happening);
    return happening.answer;
  }
}
