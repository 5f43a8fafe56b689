// The containers of a dump: reads the blobs of an account page by page, several at once, each content into a file that
// gets its name when it is whole. The journal records each finished page, whose lines are then in the index, and in an
// unfinished page each finished blob. So a killed run can be resumed.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { appendFile, type FileHandle, open, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BlobAccount, type BlobPage, type ListedBlob } from '../blobs/blob-account.js';
import type { ContainerRecord } from '../blobs/blob-record.js';
import { inParallel } from '../contents/in-parallel.js';
import { tellSkipped } from '../contents/tell-skipped.js';
import { textLines } from '../line/text-lines.js';
import type { ToolContext } from '../run/context.js';
import { install, syncFile } from '../run/install.js';
import type { Journal } from '../run/journal.js';
import type { Endpoint } from '../source/endpoint.js';
import {
  CONTENTS_PATH,
  contentPath,
  formatBlob,
  type IndexedBlob,
  indexPath,
  parseBlob,
} from './blob-index.js';
import type { BlobEntry, DumpEntry, IndexReached } from './dump-journal.js';
import type { DumpedContainer, Sum } from './manifest.js';

interface BlobDumpOptions {
  readonly directory: string;
  readonly work: string;
  readonly endpoint: Endpoint;
  readonly journal: Journal<DumpEntry>;
  readonly entries: readonly BlobEntry[];
  readonly context: ToolContext;
}

const START: IndexReached = { next: '', bytes: 0, blobs: 0, blobBytes: 0, skipped: 0, isDone: false };

export class BlobDump {
  readonly #options: BlobDumpOptions;
  readonly #account: BlobAccount;
  #containers: readonly ContainerRecord[] | undefined;
  readonly #reached = new Map<string, IndexReached>();
  /** Blobs of a container's current page, by name and ETag. */
  readonly #done = new Map<string, IndexedBlob>();
  #files = 0;

  constructor(options: BlobDumpOptions) {
    this.#options = options;
    this.#account = new BlobAccount(options.endpoint);
    for (const entry of options.entries) {
      if (entry.kind === 'containers') this.#containers = entry.containers;
      else if (entry.kind === 'blobs') {
        this.#reached.set(entry.container, entry.reached);
        this.#done.clear();
      } else this.#done.set(`${entry.etag} ${entry.blob.name}`, entry.blob);
    }
  }

  /** Reads everything that is missing. @throws ToolError */
  async read(): Promise<void> {
    const { journal, context } = this.#options;
    if (this.#containers === undefined) {
      this.#containers = await this.#account.containers();
      journal.append({ kind: 'containers', containers: this.#containers });
    }
    for (const [place, { name }] of this.#containers.entries()) {
      context.reporter.range('begins');
      await this.#readContainer(name, this.#indexWork(place));
      context.reporter.range('done');
    }
  }

  #indexWork(place: number): string {
    return join(this.#options.work, `blobs-${place}.jsonl`);
  }

  async #readContainer(name: string, index: string): Promise<void> {
    let reached = this.#reached.get(name) ?? START;
    if (reached.isDone) return;
    if (reached.bytes > 0 && !(existsSync(index) && statSync(index).size >= reached.bytes)) reached = START;
    if (existsSync(index)) await truncate(index, reached.bytes);
    else await appendFile(index, '');
    while (!reached.isDone) {
      const page = await this.#account.page(name, reached.next);
      const lines = await this.#readPage(name, page);
      const text = lines.map(formatBlob).join('');
      await appendFile(index, text);
      reached = {
        next: page.next ?? '',
        bytes: reached.bytes + Buffer.byteLength(text),
        blobs: reached.blobs + lines.length,
        blobBytes: lines.reduce((sum, { bytes }) => sum + bytes, reached.blobBytes),
        skipped: reached.skipped + page.skipped.length,
        isDone: page.next === undefined,
      };
      this.#reached.set(name, reached);
      syncFile(index);
      this.#options.journal.append({ kind: 'blobs', container: name, reached });
      this.#done.clear();
    }
  }

  async #readPage(container: string, { blobs, skipped }: BlobPage): Promise<readonly IndexedBlob[]> {
    const { context, journal } = this.#options;
    tellSkipped(context, container, skipped);
    const found = new Map<string, IndexedBlob>();
    await inParallel(blobs, context.parallel, async blob => {
      context.source.signal?.throwIfAborted();
      const known = this.#done.get(`${blob.etag} ${blob.name}`);
      const isThere = known !== undefined && this.#hasContent(known);
      const indexed = isThere ? known : await this.#readBlob(container, blob);
      if (indexed === undefined) return;
      found.set(blob.name, indexed);
      if (!isThere) journal.append({ kind: 'blob', container, etag: blob.etag, blob: indexed });
      context.reporter.rows(0);
    });
    return blobs.flatMap(({ name }) => found.get(name) ?? []);
  }

  #hasContent({ sha256, bytes }: IndexedBlob): boolean {
    const path = join(this.#options.directory, contentPath(sha256));
    return existsSync(path) && statSync(path).size === bytes;
  }

  /** Undefined if it is gone. */
  async #readBlob(container: string, listed: ListedBlob): Promise<IndexedBlob | undefined> {
    const path = join(this.#options.work, `content-${this.#files++}`);
    const file = await open(path, 'w');
    let hash = createHash('sha256');
    try {
      let isFirst = true;
      const blob = await this.#account.read(container, listed, () => {
        const anew = isFirst ? Promise.resolve() : file.truncate(0);
        let at = 0;
        isFirst = false;
        hash = createHash('sha256');
        return async piece => {
          await anew;
          hash.update(piece);
          await writeWhole(file, piece, at);
          at += piece.length;
        };
      });
      if (blob === undefined) return undefined;
      await file.datasync();
      const sha256 = hash.digest('hex');
      const target = join(this.#options.directory, contentPath(sha256));
      mkdirSync(dirname(target), { recursive: true });
      renameSync(path, target);
      return { ...blob, sha256 };
    } finally {
      await file.close();
      rmSync(path, { force: true });
    }
  }

  /** Gives the indexes their names, and drops contents of blobs that changed since. Passes the sums of all files to `add`. */
  async finish(add: (sum: Sum) => void): Promise<readonly DumpedContainer[]> {
    const { directory } = this.#options;
    const contents = new Set<string>();
    const dumped: DumpedContainer[] = [];
    for (const [place, container] of (this.#containers ?? []).entries()) {
      const path = indexPath(container.name);
      const [index, target] = [this.#indexWork(place), join(directory, path)];
      mkdirSync(dirname(target), { recursive: true });
      if (existsSync(index)) install(index, target);
      const hash = createHash('sha256');
      let bytes = 0;
      const pieces = async function* (): AsyncGenerator<Buffer, void> {
        for await (const piece of createReadStream(target)) {
          hash.update(piece as Buffer);
          bytes += (piece as Buffer).length;
          yield piece as Buffer;
        }
      };
      for await (const lines of textLines(pieces()))
        for (const { text } of lines) contents.add(parseBlob(text)?.sha256 ?? '');
      const sha256 = hash.digest('hex');
      const { blobs, blobBytes, skipped } = this.#reached.get(container.name) ?? START;
      add({ path, sha256 });
      dumped.push({
        ...container,
        blobs,
        bytes: blobBytes,
        skipped,
        files: [{ path, rows: blobs, bytes, sha256 }],
      });
    }
    for (const sha256 of contents) add({ path: contentPath(sha256), sha256 });
    removeOthers(join(directory, CONTENTS_PATH), contents);
    return dumped;
  }
}

/** A disk that becomes full first takes a part of a piece, without an error. */
async function writeWhole(file: FileHandle, piece: Buffer, at: number): Promise<void> {
  for (let written = 0; written < piece.length; ) {
    const { bytesWritten } = await file.write(piece, written, piece.length - written, at + written);
    written += bytesWritten;
  }
}

function removeOthers(folder: string, wanted: ReadonlySet<string>): void {
  if (!existsSync(folder)) return;
  for (const part of readdirSync(folder)) {
    const path = join(folder, part);
    const names = readdirSync(path);
    const others = names.filter(name => !wanted.has(name));
    for (const name of others) rmSync(join(path, name));
    if (others.length === names.length) rmSync(path, { recursive: true });
    else syncFile(path);
  }
  syncFile(folder);
}
