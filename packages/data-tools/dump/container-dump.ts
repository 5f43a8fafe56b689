// The blobs of one container in a dump: each content in a file that gets its name when it is whole, and an index of
// them, to which each page is appended.
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inOneState } from '../blobs/blob-content.js';
import type { Blob } from '../blobs/blob-record.js';
import type { InputPage } from '../contents/input.js';
import type { BlobPlace } from '../contents/move-container.js';
import { contentPath, formatBlob, type IndexedBlob } from './blob-index.js';
import { writePieces } from './dump-files.js';

interface KeptBlob extends IndexedBlob {
  readonly etag?: string | undefined;
}

export class ContainerDump implements BlobPlace<KeptBlob> {
  blobs = 0;
  bytes = 0;
  skipped = 0;
  /** SHA-256 of every content. */
  readonly contents = new Set<string>();
  readonly #directory: string;
  readonly #work: string;
  readonly #index: string;
  #files = 0;

  /** @param index the index while it is incomplete. */
  constructor(directory: string, work: string, index: string) {
    this.#directory = directory;
    this.#work = work;
    this.#index = index;
  }

  async begin(): Promise<void> {
    await writeFile(this.#index, '');
  }

  has({ etag }: Blob, kept: KeptBlob): boolean {
    const path = join(this.#directory, contentPath(kept.sha256));
    return kept.etag === etag && existsSync(path) && statSync(path).size === kept.bytes;
  }

  put(blob: Blob): Promise<KeptBlob | undefined> {
    return inOneState(blob, async ({ content, again: _, ...record }) => ({
      ...record,
      sha256: await this.#putContent(content()),
    }));
  }

  /** Returns its SHA-256. */
  async #putContent(pieces: AsyncIterable<Buffer>): Promise<string> {
    const path = join(this.#work, `content-${this.#files++}`);
    try {
      const { sha256 } = await writePieces(path, pieces);
      const target = join(this.#directory, contentPath(sha256));
      mkdirSync(dirname(target), { recursive: true });
      renameSync(path, target);
      return sha256;
    } finally {
      rmSync(path, { force: true });
    }
  }

  async endPage({ skipped }: InputPage, kept: readonly KeptBlob[]): Promise<void> {
    await appendFile(this.#index, kept.map(formatBlob).join(''));
    this.skipped += skipped.length;
    this.blobs += kept.length;
    for (const { bytes, sha256 } of kept) {
      this.bytes += bytes;
      this.contents.add(sha256);
    }
  }
}
