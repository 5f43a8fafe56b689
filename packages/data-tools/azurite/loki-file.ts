// A LokiJS file, Azurite's database: one JSON document with collections of documents. Reads it whole, as Azurite does
// itself, and checks its outer form; packages/data-tools/import interprets the documents. Contents of blobs and messages
// are pieces of other files, which documents name by file, offset and length.
import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Policy } from '../source/policies.js';
import { systemCodeOf, ToolError } from '../source/tool-error.js';

/** One for each service that was ever used in a folder. */
export const SERVICE_FILES = {
  tables: '__azurite_db_table__.json',
  queues: '__azurite_db_queue__.json',
  blobs: '__azurite_db_blob__.json',
} as const;

export const isAzuriteFolder = (directory: string): boolean =>
  Object.values(SERVICE_FILES).some(name => existsSync(join(directory, name)));

/** A document of a collection: JSON of any form. */
export type LokiDocument = Readonly<Record<string, unknown>>;

/** For a file that is not LokiJS, or holds what Azurite does not write. The message names the file. */
export const damaged = (message: string, options?: ErrorOptions): ToolError =>
  new ToolError('damaged', message, options);

export const isRecord = (value: unknown): value is LokiDocument =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Opens a file to which the rest of the folder refers. @throws ToolError damaged, if it does not exist. */
function found<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT')
      throw damaged(`${path} is not there: the folder is damaged, or was copied without it.`);
    throw error;
  }
}

function parsed(path: string): unknown {
  const text = found(path, () => readFileSync(path, 'utf8'));
  try {
    return JSON.parse(text);
  } catch {
    throw damaged(`${path} is not JSON: it is damaged, or was copied while Azurite wrote it.`);
  }
}

export class LokiFile {
  readonly #path: string;
  readonly #collections = new Map<string, readonly LokiDocument[]>();

  /** @throws ToolError damaged, or the system's error if the file cannot be read. */
  constructor(path: string) {
    this.#path = path;
    const document = parsed(path);
    if (!isRecord(document) || !Array.isArray(document.collections))
      throw damaged(`${path} has no collections: it is not a file of Azurite.`);
    for (const collection of document.collections) {
      if (!isRecord(collection) || typeof collection.name !== 'string' || !Array.isArray(collection.data))
        throw damaged(`${path} has a collection without a name or documents.`);
      this.#collections.set(collection.name, collection.data.filter(isRecord));
    }
  }

  documents(collection: string): readonly LokiDocument[] {
    return this.#collections.get(collection) ?? [];
  }

  /** A member that must be a text. */
  text(document: LokiDocument, name: string): string {
    const value = document[name];
    if (typeof value !== 'string') throw damaged(`${this.#path} has a document without ${name}.`);
    return value;
  }
}

/** A member that is a text or is missing. */
export const textOrNone = (document: LokiDocument, name: string): string | undefined => {
  const value = document[name];
  return typeof value === 'string' ? value : undefined;
};

/** Texts by name, such as metadata; other values are left out. */
export function textsIn(value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** Stored access policies, in the same form for tables, queues and containers. */
export function policiesIn(value: unknown): readonly Policy[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).flatMap(({ id, accessPolicy }) => {
    if (typeof id !== 'string') return [];
    const { start, expiry, permission } = textsIn(accessPolicy);
    return [{ id, ...(start && { start }), ...(expiry && { expiry }), ...(permission && { permission }) }];
  });
}

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
