// The tables in an Azurite folder, as input of a load: policies, and entities as Azurite answered them. Azurite stores
// each property nearly as a client sent it, and converts it for an answer; this file converts in the same way
// (azurite/dist/src/table/entity: EdmGuid, EdmDateTime, EdmDouble).
import { damaged, isRecord, type LokiDocument, type LokiFile, policiesIn } from '../azurite/loki-file.js';
import { readRow } from '../line/read-rows.js';
import { compareText, type Row, RowError } from '../line/row.js';
import { RowShape } from '../line/row-shape.js';
import type { InputTable } from '../load/input.js';
import { inPages } from '../source/row-source.js';

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
function entityOf(document: LokiDocument, file: LokiFile): string {
  const { properties } = document;
  if (!isRecord(properties)) throw new RowError('the entity has no properties');
  const members: [string, unknown][] = [
    ['PartitionKey', file.text(document, 'PartitionKey')],
    ['RowKey', file.text(document, 'RowKey')],
    ['Timestamp', file.text(document, 'lastModifiedTime')],
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

function* rowsOf(table: string, documents: readonly LokiDocument[], file: LokiFile): Generator<Row, void> {
  const shape = new RowShape();
  for (const document of documents) {
    try {
      yield readRow(entityOf(document, file), shape);
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      const key = `${JSON.stringify(document.PartitionKey)} ${JSON.stringify(document.RowKey)}`;
      throw damaged(`Table ${table}, ${key}: ${error.message}.`, { cause: error });
    }
  }
}

/** Of one account. @throws ToolError damaged, for what Azurite did not write. */
export const azuriteTables = (file: LokiFile, account: string): readonly InputTable[] =>
  file
    .documents('$TABLES_COLLECTION$')
    .filter(document => document.account === account)
    .map((document): InputTable => {
      const name = file.text(document, 'table');
      const entities = file.documents(`${account}$${name}`).toSorted(compareDocuments);
      const rows = (): Iterable<Row> => rowsOf(name, entities, file);
      let count = 0;
      for (const _ of rows()) count++;
      const policies = policiesIn(document.tableAcl);
      return { name, rows: count, policies, pages: () => inPages(rows(), PAGE_ROWS) };
    })
    .sort((one, other) => compareText(one.name, other.name));
