// The blobs of one container in a dump: each content in a file that gets its name when it is whole, and an index of
// them, to which each page is appended.
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { appendFile, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inOneState } from '../blobs/blob-content.js';
import type { Blob } from '../blobs/blob-record.js';
import type { InputPage } from '../contents/input.js';
import type { BlobPlace } from '../contents/move-container.js';
import { syncFile } from '../run/install.js';
import { contentPath, formatBlob, type IndexedBlob } from './blob-index.js';
import { writePieces } from './dump-files.js';

/** How much of the index is there. */
export interface IndexState {
  readonly bytes: number;
  readonly blobs: number;
  readonly blobBytes: number;
  readonly skipped: number;
}

interface KeptBlob extends IndexedBlob {
  readonly etag?: string | undefined;
}

export class ContainerDump implements BlobPlace<IndexState, KeptBlob> {
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

  async begin(): Promise<IndexState> {
    rmSync(this.#index, { force: true });
    await appendFile(this.#index, '');
    return { bytes: 0, blobs: 0, blobBytes: 0, skipped: 0 };
  }

  async resume({ bytes }: IndexState): Promise<boolean> {
    if (!existsSync(this.#index) || statSync(this.#index).size < bytes) return false;
    await truncate(this.#index, bytes);
    return true;
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

  async endPage(
    state: IndexState,
    { blobs, skipped }: InputPage,
    kept: ReadonlyMap<string, KeptBlob>,
  ): Promise<IndexState> {
    const dumped = blobs.flatMap(({ name }) => kept.get(name) ?? []);
    const text = dumped.map(formatBlob).join('');
    await appendFile(this.#index, text);
    syncFile(this.#index);
    return {
      bytes: state.bytes + Buffer.byteLength(text),
      blobs: state.blobs + dumped.length,
      blobBytes: dumped.reduce((sum, { bytes }) => sum + bytes, state.blobBytes),
      skipped: state.skipped + skipped.length,
    };
  }
}
