// The contents of blobs and messages in an Azurite folder: pieces of files, which documents name by file, offset and length.
import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { damaged, found, isRecord, LokiFile } from './loki-file.js';

/** A piece of a file of contents. */
export interface Extent {
  readonly id: string;
  readonly offset: number;
  readonly count: number;
}

export function extentOf(value: unknown): Extent | undefined {
  if (!isRecord(value)) return undefined;
  const { id, offset, count } = value;
  if (typeof id !== 'string' || typeof offset !== 'number' || typeof count !== 'number') return undefined;
  return { id, offset, count };
}

/** The file in which Azurite keeps the files' paths, and their folder. */
interface ContentNames {
  readonly index: string;
  readonly folder: string;
}

/** Bytes per read, however large a blob is. */
const PIECE_BYTES = 4 * 1_048_576;

export class Extents {
  readonly #directory: string;
  readonly #names: ContentNames;
  #paths: ReadonlyMap<string, string> | undefined;

  constructor(directory: string, names: ContentNames) {
    this.#directory = directory;
    this.#names = names;
  }

  /** Read when the first content is: a folder without contents may have no such file. */
  #pathsById(): ReadonlyMap<string, string> {
    const { index, folder } = this.#names;
    const documents = new LokiFile(join(this.#directory, index)).documents('$EXTENTS_COLLECTION$');
    return new Map(
      documents.flatMap(({ id, path }) =>
        typeof id === 'string' && typeof path === 'string' ? [[id, join(this.#directory, folder, path)]] : [],
      ),
    );
  }

  /** The bytes of an extent, in pieces. @throws ToolError damaged, if they are incomplete, or the system's error. */
  *read({ id, offset, count }: Extent): Generator<Buffer> {
    if (count === 0) return;
    this.#paths ??= this.#pathsById();
    const path = this.#paths.get(id);
    if (path === undefined) throw damaged(`The file ${id} of contents is not there.`);
    const file = found(path, () => openSync(path, 'r'));
    try {
      for (let done = 0; done < count; ) {
        const piece = Buffer.alloc(Math.min(PIECE_BYTES, count - done));
        const length = readSync(file, piece, 0, piece.length, offset + done);
        if (length === 0) throw damaged(`${path} ends before a content does.`);
        yield piece.subarray(0, length);
        done += length;
      }
    } finally {
      closeSync(file);
    }
  }
}
