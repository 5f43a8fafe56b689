// The requests of the workloads, and the required content of their answers.
import assert from 'node:assert/strict';
import { type Answer, type Endpoint, type Kind, type Request, requestOf } from './request.js';
import {
  ENTITY_BYTES,
  expectedProperties,
  fullPartitions,
  GROUP_ROWS,
  groupRows,
  insertedEntity,
  loadedEntity,
  memberEntity,
  memberNumber,
  partitionText,
  RANK_SOUGHT,
  soughtRows,
} from './rows.js';

const VERSION = { 'x-ms-version': '2021-08-06' };
const NO_METADATA = { ...VERSION, Accept: 'application/json;odata=nometadata' };
/** For clients that write and do not ask for the entity in the answer. */
const WRITE = { ...NO_METADATA, Prefer: 'return-no-content', 'Content-Type': 'application/json' };
const MERGED_STOCK = 200_000;

/** An answer with this status. */
export const hasStatus =
  (status: number) =>
  (answer: Answer): void =>
    assert.equal(answer.status, status, answer.body.toString('utf8', 0, 400));

/** A row may have more properties: a timestamp, and the stock. */
export function checkRow(entity: Readonly<Record<string, unknown>>, row: number): void {
  const expected = expectedProperties(row);
  const found = Object.fromEntries(Object.keys(expected).map(name => [name, entity[name]]));
  assert.deepEqual(found, expected);
}

const checkPage = (answer: Answer, rows: readonly number[]): void => {
  hasStatus(200)(answer);
  const { value } = JSON.parse(answer.body.toString()) as { value: Record<string, unknown>[] };
  assert.equal(value.length, rows.length);
  for (const [at, row] of rows.entries()) checkRow(value[at] ?? {}, row);
};

export const createTable = (at: Endpoint, table: string): Request =>
  requestOf(at, 'POST', 'Tables', WRITE, `{"TableName":"${table}"}`);

const entityPath = (table: string, partitionRows?: number): string =>
  `${table}(PartitionKey='${partitionText('row', partitionRows)}',RowKey='{10:row}')`;

/** Rows in partitions of another size are not checked whole. */
export const pointGet = (at: Endpoint, table: string, partitionRows?: number): Kind => ({
  request: requestOf(at, 'GET', entityPath(table, partitionRows), NO_METADATA),
  check: (answer, _, row) => {
    hasStatus(200)(answer);
    if (partitionRows === undefined) checkRow(JSON.parse(answer.body.toString()), row);
  },
});

export const insert = (at: Endpoint, table: string, entity = insertedEntity()): Kind => ({
  request: requestOf(at, 'POST', table, WRITE, entity),
  check: hasStatus(204),
});

export const merge = (at: Endpoint, table: string): Kind => ({
  request: requestOf(
    at,
    'PATCH',
    entityPath(table),
    { ...NO_METADATA, 'If-Match': '*', 'Content-Type': 'application/json' },
    `{"Stock":${MERGED_STOCK}}`,
  ),
  check: hasStatus(204),
});

const query = (at: Endpoint, table: string, condition: string): Request =>
  requestOf(at, 'GET', `${table}()?$filter=PartitionKey%20eq%20'${condition}`, NO_METADATA);

export const range = (at: Endpoint, table: string): Kind => {
  const from = `row - row % ${GROUP_ROWS}`;
  const keys = `RowKey%20ge%20'{10:${from}}'%20and%20RowKey%20lt%20'{10:${from} + ${GROUP_ROWS}}'`;
  return {
    request: query(at, table, `${partitionText('row')}'%20and%20${keys}`),
    check: (answer, _, row) => checkPage(answer, groupRows(row)),
  };
};

/** Of a table of so many rows. */
export const filter = (at: Endpoint, table: string, rows: number): Kind => {
  const partitions = fullPartitions(rows);
  return {
    request: query(at, table, `p{6:sequence % ${partitions}}'%20and%20Rank%20eq%20${RANK_SOUGHT}`),
    check: (answer, sequence) => checkPage(answer, soughtRows(sequence % partitions, rows)),
  };
};

const BATCH = 'batch_a1e76150-14e0-4b0e-b0e3-0d6a5ed8a3d9';
const CHANGESET = 'changeset_8a3d14e0-4b0e-b0e3-a1e7-0d6a5ed8a3d9';
const PART_DONE = /HTTP\/1\.1 204 /g;

/** Inserts `GROUP_ROWS` rows. */
function batch(at: Endpoint, table: string, entity: (offset: number) => string): Kind {
  const lines = [
    `--${CHANGESET}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n`,
    `POST http://127.0.0.1:${at.port}/${at.account}/${table} HTTP/1.1`,
    ...Object.entries(WRITE).map(([name, value]) => `${name}: ${value}`),
    'DataServiceVersion: 3.0;\r\n\r\n',
  ].join('\r\n');
  const members = Array.from({ length: GROUP_ROWS }, (_, offset) => `${lines}${entity(offset)}\r\n`);
  const body =
    `--${BATCH}\r\nContent-Type: multipart/mixed; boundary=${CHANGESET}\r\n\r\n` +
    `${members.join('')}--${CHANGESET}--\r\n--${BATCH}--\r\n`;
  const headers = { ...NO_METADATA, 'Content-Type': `multipart/mixed; boundary=${BATCH}` };
  return {
    request: requestOf(at, 'POST', '$batch', headers, body),
    check: answer => {
      hasStatus(202)(answer);
      const text = answer.body.toString('latin1');
      assert.equal(text.match(PART_DONE)?.length, GROUP_ROWS, text.slice(0, 400));
    },
  };
}

/** Rows in order, a group of them by sequence number. */
export const load = (at: Endpoint, table: string, entity = loadedEntity, partitionRows?: number): Kind =>
  batch(at, table, offset => entity(memberNumber(offset), partitionRows));

export const transaction = (at: Endpoint, table: string): Kind => batch(at, table, memberEntity);

/** About as long as the entities of the table workloads. */
const CONTENT = 'a line of a log with a time, a name and a number in it, as long as all the others; '
  .repeat(20)
  .slice(0, ENTITY_BYTES);
export const BLOCK_BLOB = { ...VERSION, 'x-ms-blob-type': 'BlockBlob' };

export const createContainer = (at: Endpoint, container: string): Request =>
  requestOf(at, 'PUT', `${container}?restype=container`, VERSION);

/** The blob of the row's number; a new one next to it if `after` is a gap. */
export const putBlob = (at: Endpoint, container: string, after = '', row = 'row'): Kind => ({
  request: requestOf(at, 'PUT', `${container}/b{10:${row}}${after}`, BLOCK_BLOB, CONTENT),
  check: hasStatus(201),
});

export const getBlob = (at: Endpoint, container: string): Kind => ({
  request: requestOf(at, 'GET', `${container}/b{10:row}`, VERSION),
  check: answer => {
    hasStatus(200)(answer);
    assert.equal(answer.body.toString(), CONTENT);
  },
});
