// A LokiJS file, Azurite's database: one JSON document with collections of documents. Reads it whole, as Azurite does
// itself, and checks its outer form; the other files of this folder interpret the documents.
import { readFileSync } from 'node:fs';

/** A document of a collection: JSON of any form. */
export type LokiDocument = Readonly<Record<string, unknown>>;

/** Collections by their names. */
export type LokiCollections = ReadonlyMap<string, readonly LokiDocument[]>;

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

/** @throws LokiInvalid, or the system's error if the file cannot be read. */
export function readLokiFile(path: string): LokiCollections {
  const document = parsed(path);
  if (!isRecord(document) || !Array.isArray(document.collections))
    throw new LokiInvalid(`${path} has no collections: it is not a file of Azurite.`);
  const collections = new Map<string, readonly LokiDocument[]>();
  for (const collection of document.collections) {
    if (!isRecord(collection) || typeof collection.name !== 'string' || !Array.isArray(collection.data))
      throw new LokiInvalid(`${path} has a collection without a name or documents.`);
    collections.set(collection.name, collection.data.filter(isRecord));
  }
  return collections;
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

/** A stored access policy in Azurite's form, the same for tables, queues and containers. */
export interface AzuritePolicy {
  readonly id: string;
  readonly start: string | undefined;
  readonly expiry: string | undefined;
  readonly permission: string | undefined;
}

export function policiesIn(value: unknown): readonly AzuritePolicy[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).flatMap(({ id, accessPolicy }) => {
    if (typeof id !== 'string') return [];
    const policy = isRecord(accessPolicy) ? accessPolicy : {};
    return [
      {
        id,
        start: textOrNone(policy, 'start'),
        expiry: textOrNone(policy, 'expiry'),
        permission: textOrNone(policy, 'permission'),
      },
    ];
  });
}
