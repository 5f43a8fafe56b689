// Writes one blob over the wire; a block blob whole or not at all: in one request, or in blocks that one last request
// commits. An append blob grows block by block; one that a killed run left unfinished is continued. If the answer to a
// write is lost, its outcome is found by reading what is there.
import { type Endpoint, errorOf, failureOf } from '../source/endpoint.js';
import { metadataHeaders } from '../source/space.js';
import type { ToolError } from '../source/tool-error.js';
import { LIST_VERSION } from '../source/xml-list.js';
import { BlobThere } from './blob-content.js';
import { type Blob, blobPath, CONTENT_HEADERS, type Texts, unsendable } from './blob-record.js';

/** Bytes of one Put Blob, and of a block: the maximum of Append Block in this version (docs/protocol/append-blobs.md). */
const BLOCK_BYTES = 4 * 1_048_576;
/** Blocks per blob (docs/protocol/blocks.md). */
const BLOCKS_MAX = 50_000;

interface PutOptions {
  readonly container: string;
  /** What to do with an existing blob: compare it, leave it alone, or replace it. */
  readonly onExisting: 'compare' | 'skip' | 'replace';
  /** Whether an earlier run may have left an append blob unfinished. */
  readonly mayContinue: boolean;
}

export type PutResult =
  | { readonly kind: 'done' | 'conflict' }
  | { readonly kind: 'refused'; readonly reason: string };

const DONE: PutResult = { kind: 'done' };

/** The result of one request. */
interface Put {
  readonly status: number;
  readonly code: string;
  readonly isRepeated: boolean;
  readonly failure: ToolError;
}

export class BlobWriter {
  readonly #endpoint: Endpoint;
  readonly #options: PutOptions;

  constructor(endpoint: Endpoint, options: PutOptions) {
    this.#endpoint = endpoint;
    this.#options = options;
  }

  #there({ name }: Blob): Promise<BlobThere | undefined> {
    return BlobThere.read(this.#endpoint, this.#options.container, name);
  }

  /** @throws ToolError denied, notThere or gaveUp */
  async put(blob: Blob): Promise<PutResult> {
    const reason = unsendable(blob.headers, blob.metadata);
    if (reason !== undefined) return { kind: 'refused', reason };
    if (blob.type === 'AppendBlob') return this.#append(blob);
    return blob.bytes <= BLOCK_BYTES ? this.#putWhole(blob) : this.#putBlocks(blob);
  }

  /** Headers of the request that creates the blob. */
  #making(
    { headers, metadata, tags, tier, type }: Blob,
    isFirst = this.#options.onExisting !== 'replace',
  ): Texts {
    const content = Object.entries(headers).map(([name, value]) => [CONTENT_HEADERS[name] ?? name, value]);
    const tagText = Object.entries(tags).map(pair => pair.map(encodeURIComponent).join('='));
    return {
      ...Object.fromEntries(content),
      ...metadataHeaders(metadata),
      ...(tagText.length > 0 && { 'x-ms-tags': tagText.join('&') }),
      ...(tier !== null && type === 'BlockBlob' && { 'x-ms-access-tier': tier }),
      ...(isFirst && { 'if-none-match': '*' }),
    };
  }

  async #send(blob: Blob, query: Texts, headers: Texts, body: Buffer | string): Promise<Put> {
    const { status, value, isRepeated } = await this.#endpoint.send({
      method: 'PUT',
      path: blobPath(this.#options.container, blob.name),
      query,
      headers: { 'x-ms-version': LIST_VERSION, 'content-type': 'application/octet-stream', ...headers },
      body,
      read: answer => ({
        code: errorOf(answer).code,
        failure: failureOf(
          this.#endpoint,
          `the write of blob ${blob.name} of ${this.#options.container}`,
          answer,
        ),
      }),
    });
    return { status, isRepeated, ...value };
  }

  async #putWhole(blob: Blob): Promise<PutResult> {
    const body = Buffer.concat(await collected(blob.content()));
    const headers = { 'x-ms-blob-type': 'BlockBlob', ...this.#making(blob) };
    return this.#judge(blob, await this.#send(blob, {}, headers, body));
  }

  async #putBlocks(blob: Blob): Promise<PutResult> {
    // An existing blob need not be sent first.
    if (this.#options.onExisting !== 'replace') {
      const there = await this.#there(blob);
      if (there !== undefined) return this.#existing(blob, there);
    }
    const size = Math.max(BLOCK_BYTES, Math.ceil(blob.bytes / BLOCKS_MAX));
    const ids: string[] = [];
    for await (const block of blocksOf(blob.content(), size)) {
      const id = Buffer.from(`shelfmark-${String(ids.length).padStart(6, '0')}`).toString('base64');
      const put = await this.#send(blob, { comp: 'block', blockid: id }, {}, block);
      if (put.status >= 300) return this.#judge(blob, put);
      ids.push(id);
    }
    const list = `<?xml version="1.0" encoding="utf-8"?><BlockList>${ids.map(id => `<Uncommitted>${id}</Uncommitted>`).join('')}</BlockList>`;
    const headers = { ...this.#making(blob), 'content-type': 'application/xml' };
    const put = await this.#send(blob, { comp: 'blocklist' }, headers, list);
    // Committed blocks are no longer uncommitted: a repeated list does not find them.
    if (put.isRepeated && put.status === 400) {
      const there = await this.#there(blob);
      if (there !== undefined && (await there.isSame(blob))) return DONE;
    }
    return this.#judge(blob, put);
  }

  async #append(blob: Blob): Promise<PutResult> {
    const headers = { 'x-ms-blob-type': 'AppendBlob', ...this.#making(blob) };
    const made = await this.#send(blob, {}, headers, '');
    let from = 0;
    if (isThere(made)) {
      const there = await this.#there(blob);
      const isOurs = this.#options.mayContinue || made.isRepeated;
      if (
        there === undefined ||
        !isOurs ||
        this.#options.onExisting === 'skip' ||
        !(await there.isStartOf(blob))
      )
        return this.#judge(blob, made);
      from = there.bytes;
    } else if (made.status >= 300) return this.#judge(blob, made);
    let at = 0;
    for await (const block of blocksOf(blob.content(), BLOCK_BYTES)) {
      const piece = block.subarray(Math.max(0, from - at));
      at += block.length;
      if (piece.length === 0) continue;
      const position = String(at - piece.length);
      const put = await this.#send(
        blob,
        { comp: 'appendblock' },
        { 'x-ms-blob-condition-appendpos': position },
        piece,
      );
      if (put.status < 300) continue;
      const there = put.isRepeated && put.status === 412;
      const found = there ? await this.#there(blob) : undefined;
      // The previous attempt, whose answer was lost, has succeeded.
      if (found?.bytes !== at) return this.#judge(blob, put);
    }
    return DONE;
  }

  async #judge(blob: Blob, put: Put): Promise<PutResult> {
    if (put.status < 300) return DONE;
    if (isThere(put)) {
      const there = await this.#there(blob);
      if (there !== undefined) return this.#existing(blob, there);
    }
    if (put.status === 401 || put.status === 403 || put.status === 404 || put.status >= 500)
      throw put.failure;
    return { kind: 'refused', reason: `${put.status} ${put.code}`.trim() };
  }

  async #existing(blob: Blob, there: BlobThere): Promise<PutResult> {
    if (this.#options.onExisting === 'skip') return DONE;
    return (await there.isSame(blob)) ? DONE : { kind: 'conflict' };
  }
}

/** If-None-Match found a blob, in the words of several servers. */
const isThere = ({ status, code }: Put): boolean =>
  status === 409 ? code === 'BlobAlreadyExists' || code === '' : status === 412 && code === 'ConditionNotMet';

async function collected(pieces: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

/** The same bytes in blocks of one size, the last one smaller. */
async function* blocksOf(pieces: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer, void> {
  let gathered: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    for (let rest = piece; rest.length > 0; ) {
      const part = rest.subarray(0, size - bytes);
      gathered.push(part);
      bytes += part.length;
      rest = rest.subarray(part.length);
      if (bytes < size) continue;
      yield Buffer.concat(gathered);
      [gathered, bytes] = [[], 0];
    }
  }
  if (bytes > 0) yield Buffer.concat(gathered);
}
