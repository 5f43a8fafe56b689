// Copies contents into the directory of a backup or of a restored store: byte by byte, since a copy that shares blocks
// with the store would share their damage, and checking checksums on the way. All contents and their names are on disk
// before the copy of the data file gets its name.
import { mkdirSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreError } from '#store';
import { contentPath, contentsOf, prepareContents, spacePath } from '../content/content-path.js';
import { syncDirectoryNow } from '../lmdb/directory.js';
import { closeFile, codeOf, contentError, openFile, syncData, writeAll } from '../lmdb/system-call.js';
import type { ContentFile } from './check-contents.js';
import { type Damage, readContent } from './read-content.js';

/** Copies into a store's directory. No process may remove the contents in the meantime. */
export class ContentCopies {
  readonly #target: string;
  readonly #onProgress: () => void;
  readonly #spaces = new Set<string>();

  constructor(to: string, onProgress: () => void) {
    this.#target = contentsOf(to);
    this.#onProgress = onProgress;
  }

  /** Returns what is wrong with the content: the copy of a damaged one is of no use. */
  async add({ path, space, id }: ContentFile): Promise<Damage | undefined> {
    try {
      const copy = contentPath(this.#target, space, id);
      if (copy === undefined) return undefined;
      this.#prepare(spacePath(this.#target, space));
      const damage = await this.#copy(path, id, copy);
      // Small ones would otherwise follow each other without a turn of the event loop.
      await nextTurn();
      return damage;
    } catch (error) {
      throw failure(error, this.#target);
    }
  }

  /** Makes their names durable. */
  finish(): void {
    if (this.#spaces.size === 0) return;
    for (const space of [...this.#spaces, this.#target]) syncDirectoryNow(space);
  }

  #prepare(space: string): void {
    if (this.#spaces.has(space)) return;
    if (this.#spaces.size === 0) {
      mkdirSync(this.#target, { recursive: true });
      prepareContents(this.#target, true);
    }
    mkdirSync(space);
    this.#spaces.add(space);
  }

  async #copy(from: string, id: string, to: string): Promise<Damage | undefined> {
    const target = await openFile(to, 'wx', 0o600);
    try {
      const damage = await readContent(from, id, async (piece, at) => {
        await writeAll(target, piece, at);
        this.#onProgress();
      });
      if (damage === undefined) await syncData(target);
      return damage;
    } finally {
      await closeFile(target);
    }
  }
}

function failure(error: unknown, place: string): unknown {
  if (codeOf(error) === undefined) return error;
  const told = contentError(error, place);
  return told instanceof StoreError ? new StoreError('unsupported', told.message, error) : told;
}
