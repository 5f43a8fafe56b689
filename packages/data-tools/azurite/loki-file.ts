// A LokiJS file, Azurite's database: one JSON document with collections of documents. Reads it whole, as Azurite does
// itself, and checks its outer form; packages/data-tools/import interprets the documents.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Policy } from '../source/policies.js';

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

/** A file that is not LokiJS, or holds what Azurite does not write. The message names the file. */
export class LokiInvalid extends Error {
  override readonly name = 'LokiInvalid';
}

export const isRecord = (value: unknown): value is LokiDocument =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** For files that the rest of the folder refers to. @throws LokiInvalid, if it does not exist. */
export function found<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new LokiInvalid(`${path} is not there: the folder is damaged, or was copied without it.`);
    throw error;
  }
}

function parsed(path: string): unknown {
  const text = found(path, () => readFileSync(path, 'utf8'));
  try {
    return JSON.parse(text);
  } catch {
    throw new LokiInvalid(`${path} is not JSON: it is damaged, or was copied while Azurite wrote it.`);
  }
}

/** The documents of each collection, by its name. */
export type Documents = (collection: string) => readonly LokiDocument[];

/** @throws LokiInvalid, or the system's error if the file cannot be read. */
export function readLokiFile(path: string): Documents {
  const document = parsed(path);
  if (!isRecord(document) || !Array.isArray(document.collections))
    throw new LokiInvalid(`${path} has no collections: it is not a file of Azurite.`);
  const collections = new Map<string, readonly LokiDocument[]>();
  for (const collection of document.collections) {
    if (!isRecord(collection) || typeof collection.name !== 'string' || !Array.isArray(collection.data))
      throw new LokiInvalid(`${path} has a collection without a name or documents.`);
    collections.set(collection.name, collection.data.filter(isRecord));
  }
  return collection => collections.get(collection) ?? [];
}

/** A member that must be a text. */
export function textIn(document: LokiDocument, name: string, path: string): string {
  const value = document[name];
  if (typeof value !== 'string') throw new LokiInvalid(`${path} has a document without ${name}.`);
  return value;
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
