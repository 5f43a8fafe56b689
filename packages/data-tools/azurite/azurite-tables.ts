// The tables in an Azurite folder: their names, their policies and their entities as Azurite answered them. Azurite
// stores each property nearly as a client sent it, and converts it for an answer; this file converts in the same way
// (azurite/dist/src/table/entity: EdmGuid, EdmDateTime, EdmDouble).
import { join } from 'node:path';
import {
  type AzuritePolicy,
  isRecord,
  type LokiCollections,
  type LokiDocument,
  LokiInvalid,
  policiesIn,
  readLokiFile,
  textIn,
} from './loki-file.js';

export const TABLE_FILE = '__azurite_db_table__.json';
const TABLES = '$TABLES_COLLECTION$';
const TYPE_SUFFIX = '@odata.type';
/** What accompanies the properties, both in the document and among them. */
const KEYS: ReadonlySet<string> = new Set(['PartitionKey', 'RowKey', 'Timestamp']);

export interface AzuriteTable {
  readonly account: string;
  readonly name: string;
  readonly policies: readonly AzuritePolicy[];
}

/** An entity in OData's form: the keys, the Timestamp, and each property after its type if it has one. */
type AzuriteEntity = Readonly<Record<string, unknown>>;

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$/;
const GUID = /^[0-9a-fA-F]{8}(?:-?[0-9a-fA-F]{4}){3}-?[0-9a-fA-F]{12}$/;

/** Guids are stored as the base64 of their text, those of old versions as they are. */
function guidOf(stored: string): string {
  if (!BASE64.test(stored)) return stored;
  const text = Buffer.from(stored, 'base64').toString('utf8');
  return GUID.test(text) ? text : stored;
}

/** A time without a zone is in UTC. */
const timeOf = (stored: string): string => (Number.isNaN(Date.parse(`${stored}Z`)) ? stored : `${stored}Z`);

/** A value as Azurite answers it, with the type in the answer. */
function answered(type: unknown, value: unknown): readonly [type: string | undefined, value: unknown] {
  if (typeof value === 'string') {
    if (type === 'Edm.Guid') return [type, guidOf(value)];
    if (type === 'Edm.DateTime') return [type, timeOf(value)];
  }
  // A number that is not whole is a Double without an annotation.
  if (typeof value === 'number' && type === undefined && !Number.isInteger(value))
    return ['Edm.Double', value];
  return [typeof type === 'string' ? type : undefined, value];
}

function entityOf(document: LokiDocument, path: string): AzuriteEntity {
  const { properties } = document;
  if (!isRecord(properties)) throw new LokiInvalid(`${path} has an entity without properties.`);
  const members: [string, unknown][] = [
    ['PartitionKey', textIn(document, 'PartitionKey', path)],
    ['RowKey', textIn(document, 'RowKey', path)],
    ['Timestamp', textIn(document, 'lastModifiedTime', path)],
  ];
  for (const [name, stored] of Object.entries(properties)) {
    if (KEYS.has(name) || name.endsWith(TYPE_SUFFIX) || stored === null) continue;
    const [type, value] = answered(properties[name + TYPE_SUFFIX], stored);
    if (type !== undefined) members.push([name + TYPE_SUFFIX, type]);
    members.push([name, value]);
  }
  return Object.fromEntries(members);
}

const ordinal = (a: unknown, b: unknown): number => {
  const [left, right] = [String(a), String(b)];
  return left < right ? -1 : left > right ? 1 : 0;
};

export class AzuriteTables {
  readonly tables: readonly AzuriteTable[];
  readonly #collections: LokiCollections;
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
    this.#collections = readLokiFile(path);
    this.tables = (this.#collections.get(TABLES) ?? []).map(document => ({
      account: textIn(document, 'account', path),
      name: textIn(document, 'table', path),
      policies: policiesIn(document.tableAcl),
    }));
  }

  /** @throws LokiInvalid for a file that Azurite did not write, or the system's error. */
  static read(directory: string): AzuriteTables {
    return new AzuriteTables(join(directory, TABLE_FILE));
  }

  /** The entities of a table in the order of their keys, as Azurite answers them. */
  entitiesOf({ account, name }: AzuriteTable): readonly AzuriteEntity[] {
    const documents = this.#collections.get(`${account}$${name}`) ?? [];
    return documents
      .map(document => entityOf(document, this.#path))
      .sort((a, b) => ordinal(a.PartitionKey, b.PartitionKey) || ordinal(a.RowKey, b.RowKey));
  }
}
