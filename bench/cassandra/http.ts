// The works on a cluster by requests.
import assert from 'node:assert/strict';
import { generate, sendAll } from '../load/generate.js';
import { ask, type Endpoint, type Kind, requestOf } from '../load/request.js';
import * as requests from '../load/requests.js';
import { GROUP_ROWS, loadedEntity, narrowEntity, PARTITION_ROWS } from '../load/rows.js';
import type { Sample } from '../subjects/subject.js';
import { READ_ROWS, type Shape } from './works.js';

const LOADERS = 8;
/** Of single rows, each into a partition of its own. */
const SPREAD_LOADERS = 64;
const NO_METADATA = { 'x-ms-version': '2019-02-02', Accept: 'application/json;odata=nometadata' };
const ROW = Buffer.from('"RowKey":"');
const CONTINUATIONS = ['NextPartitionKey', 'NextRowKey'] as const;

/** Rows of 200 bytes for scans, `scanned` of them; else of 1 KB. */
export async function fillTable(at: Endpoint, table: string, shape: Shape, scanned: number): Promise<void> {
  if (shape.kind === 'write') return;
  const { kind, partitionRows } = shape;
  const [entity, rows] = kind === 'scan' ? [narrowEntity, scanned] : [loadedEntity, READ_ROWS];
  if (partitionRows % GROUP_ROWS === 0)
    await sendAll(requests.load(at, table, entity, partitionRows), at.port, LOADERS, rows / GROUP_ROWS);
  else
    await sendAll(
      requests.insert(at, table, entity('sequence', partitionRows)),
      at.port,
      SPREAD_LOADERS,
      rows,
    );
}

export async function requestWork(
  at: Endpoint,
  table: string,
  shape: Shape,
  scanned: number,
  seconds: number,
): Promise<Sample> {
  if (shape.kind === 'scan') return scan(at, table, scanned);
  const load = async (kind: Kind, size: number, rows: number): Promise<Sample> => {
    const job = { port: at.port, connections: shape.clients, rows, first: 0, seconds };
    const { completed, milliseconds, latency } = await generate(kind, job);
    return { perSecond: (completed * size * 1000) / milliseconds, latency };
  };
  if (shape.kind === 'read') return load(requests.pointGet(at, table, shape.partitionRows), 1, READ_ROWS);
  const kind = shape.size === 1 ? requests.insert(at, table) : requests.transaction(at, table);
  return load(kind, shape.size, shape.partitions === 1 ? READ_ROWS : shape.partitions * PARTITION_ROWS);
}

/**
 * A whole table page after page, like a program that exports it. Received rows are counted, not parsed: the client must
 * not be what is measured.
 */
async function scan(at: Endpoint, table: string, rows: number): Promise<Sample> {
  const start = performance.now();
  let found = 0;
  for (let from: string | undefined = ''; from !== undefined; ) {
    const { status, headers, body } = await ask(
      at.port,
      requestOf(at, 'GET', `${table}()?${from}`, NO_METADATA),
    );
    assert.equal(status, 200, body.toString());
    for (let row = body.indexOf(ROW); row >= 0; row = body.indexOf(ROW, row + ROW.length)) found += 1;
    const parts = CONTINUATIONS.flatMap(name => {
      const value = headers[`x-ms-continuation-${name.toLowerCase()}`];
      return value === undefined ? [] : `${name}=${encodeURIComponent(String(value))}`;
    });
    from = parts.length === 0 ? undefined : parts.join('&');
  }
  assert.equal(found, rows);
  return { perSecond: (rows * 1000) / (performance.now() - start) };
}
