// The tables in an Azurite folder, as input of a load: policies, and entities as Azurite answered them. Azurite stores
// each property nearly as a client sent it, and converts it for an answer; this file converts in the same way
// (azurite/dist/src/table/entity: EdmGuid, EdmDateTime, EdmDouble).
import { join } from 'node:path';
import {
  isRecord,
  type LokiDocument,
  LokiInvalid,
  policiesIn,
  readLokiFile,
  SERVICE_FILES,
  textIn,
} from '../azurite/loki-file.js';
import { readRow } from '../line/read-rows.js';
import { compareText, type Row, RowError } from '../line/row.js';
import { RowShape } from '../line/row-shape.js';
import type { InputTable } from '../load/input.js';
import { inPages } from '../source/pages.js';
import type { Owned } from './owned.js';

const TYPE_SUFFIX = '@odata.type';
/** What accompanies the properties, both in the document and among them. */
const KEYS: ReadonlySet<string> = new Set(['PartitionKey', 'RowKey', 'Timestamp']);
const PAGE_ROWS = 500;
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

/** An entity in OData's form: the keys, the Timestamp, and each property after its type if it has one. */
function entityOf(document: LokiDocument, path: string): string {
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
  return JSON.stringify(Object.fromEntries(members));
}

const compareDocuments = (one: LokiDocument, other: LokiDocument): number =>
  compareText(String(one.PartitionKey), String(other.PartitionKey)) ||
  compareText(String(one.RowKey), String(other.RowKey));

function* rowsOf(table: string, documents: readonly LokiDocument[], path: string): Generator<Row, void> {
  const shape = new RowShape();
  for (const document of documents) {
    try {
      yield readRow(entityOf(document, path), shape);
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      const { PartitionKey, RowKey } = document;
      throw new RowError(
        `Table ${table}, ${JSON.stringify(PartitionKey)} ${JSON.stringify(RowKey)}: ${error.message}.`,
      );
    }
  }
}

/** @throws LokiInvalid for a file that Azurite did not write, or the system's error. */
export function azuriteTables(directory: string): readonly Owned<InputTable>[] {
  const path = join(directory, SERVICE_FILES.tables);
  const documents = readLokiFile(path);
  return documents('$TABLES_COLLECTION$').map(document => {
    const [account, name] = [textIn(document, 'account', path), textIn(document, 'table', path)];
    const open = (): InputTable => {
      const entities = documents(`${account}$${name}`).toSorted(compareDocuments);
      const rows = (): Iterable<Row> => rowsOf(name, entities, path);
      let count = 0;
      for (const _ of rows()) count++;
      const policies = policiesIn(document.tableAcl);
      return { name, rows: count, policies, pages: () => inPages(rows(), PAGE_ROWS) };
    };
    return { account, name, open };
  });
}
