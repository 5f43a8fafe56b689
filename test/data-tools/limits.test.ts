// Limits that the data tools keep, or meet at a server, one below, at and one above: changes of a transaction, the size
// of a row, the policies of a table, concurrent requests.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type RunningServer, serve } from 'shelfmark';
import { Endpoint, parseAddress, type Row } from '../../packages/data-tools/index.js';
import { entitySize } from '../../packages/data-tools/stats/table-stats.js';
import { rowOf } from '../../packages/data-tools/testing/nasty-rows.js';
import { TargetTable } from '../../packages/data-tools/write/target-table.js';
import { runCommand } from './command-run.js';
import { linesOf, loadInto, rowsOf, runTool } from './tool-run.js';

const MIB = 1_048_576;
const CHANGES_MAX = 100;
const TRANSACTION_BYTES_MAX = 4 * MIB;
const POLICIES_MAX = 5;
const PARALLEL_MAX = 256;

let directory = '';
// Azurite counts the bytes of rows differently, and refuses policies.
let server: RunningServer;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'shelfmark-limits-'));
  server = await serve({ data: undefined });
});
after(async () => {
  await server.close();
  await rm(directory, { recursive: true, force: true });
});

/** Loads rows; returns the reported events. */
async function loadRows(connectionString: string, table: string, rows: readonly Row[]) {
  const path = join(directory, `${table}.jsonl`);
  await writeFile(path, linesOf(rows));
  return (await loadInto(connectionString, path, { tables: [table] }, { parallel: 1 })).told;
}

/** Loads rows into a server that accepts all; returns the changes and the bytes of each request. */
async function requestsOf(rows: readonly Row[]): Promise<readonly { changes: number; bytes: number }[]> {
  const requests: { changes: number; bytes: number }[] = [];
  const taker = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces);
    if (request.url?.includes('$batch') !== true) {
      if (request.url?.includes('rows') === true) requests.push({ changes: 1, bytes: body.length });
      response.writeHead(204).end();
      return;
    }
    const changes = body.toString('latin1').split(' HTTP/1.1\r\n').length - 1;
    requests.push({ changes, bytes: body.length });
    response.writeHead(202).end(`--b\r\n\r\n${'HTTP/1.1 204 No Content\r\n\r\n'.repeat(changes)}--b--`);
  });
  taker.listen(0, '127.0.0.1');
  await once(taker, 'listening');
  const { port } = taker.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}/account`;
  try {
    await loadRows(`AccountName=account;AccountKey=AAAA;TableEndpoint=${endpoint}`, 'rows', rows);
  } finally {
    taker.closeAllConnections();
    taker.close();
  }
  return requests;
}

test(`a transaction has at most ${CHANGES_MAX} changes`, async () => {
  for (const [count, expected] of [
    [CHANGES_MAX - 1, [CHANGES_MAX - 1]],
    [CHANGES_MAX, [CHANGES_MAX]],
    [CHANGES_MAX + 1, [CHANGES_MAX, 1]],
  ] as const) {
    const rows = Array.from({ length: count }, (_, i) => rowOf('p', String(i).padStart(3, '0'), []));
    const requests = await requestsOf(rows);
    assert.deepEqual(
      requests.map(({ changes }) => changes),
      expected,
    );
  }
});

test('a transaction has at most 4 MiB, and comes near', async () => {
  // The writer's count in addition to the values: 400 bytes for the request; for each row 400, 12 for two keys of one
  // character, and 42 with two quotes for the property.
  const counted = 400 + 2 * (400 + 12 + 42 + 2);
  for (const [bytes, expected] of [
    [TRANSACTION_BYTES_MAX - 1, [2]],
    [TRANSACTION_BYTES_MAX, [2]],
    [TRANSACTION_BYTES_MAX + 1, [1, 1]],
  ] as const) {
    const first = 2 * MIB;
    const rows = [first, bytes - counted - first].map((length, i) =>
      rowOf('p', String(i), [['s', 'String', 'x'.repeat(length)]]),
    );
    const requests = await requestsOf(rows);
    assert.deepEqual(
      requests.map(({ changes }) => changes),
      expected,
    );
    for (const request of requests) assert(request.bytes <= TRANSACTION_BYTES_MAX, String(request.bytes));
    const [{ bytes: sent } = { bytes: 0 }] = requests;
    if (requests.length === 1) assert(sent > TRANSACTION_BYTES_MAX - 2048, String(sent));
  }
});

// Three processes.
const isShort = process.env.SHELFMARK_LONG !== '1';
test(`there are at most ${PARALLEL_MAX} requests at once`, { skip: isShort }, async () => {
  const codes = [PARALLEL_MAX - 1, PARALLEL_MAX, PARALLEL_MAX + 1].map(async count => {
    const { code } = await runCommand(
      ['load', '--parallel', String(count), '--dry-run', '--table', 'rows', '-'],
      {
        to: 'AccountName=account;AccountKey=AAAA;TableEndpoint=http://127.0.0.1:1/account',
      },
    );
    return code;
  });
  assert.deepEqual(await Promise.all(codes), [0, 0, 2]);
});

test('a row of 1 MiB is loaded, a larger one is refused and reported', async () => {
  const rows = [MIB - 1, MIB, MIB + 1].map((bytes, i) => {
    const told = Array.from({ length: 15 }, (_, k) => [`b${k}`, 'Binary', piece(65_536)] as const);
    const left = bytes - entitySize(rowOf('large', String(i), [...told, ['rest', 'Binary', '']]));
    return rowOf('large', String(i), [...told, ['rest', 'Binary', piece(left)]]);
  });
  assert.deepEqual(rows.map(entitySize), [MIB - 1, MIB, MIB + 1]);
  const told = await loadRows(server.connectionString(), 'largerows', rows);
  const refused = told.filter(({ event }) => event === 'refused');
  assert.deepEqual(
    refused.map(({ RowKey }) => RowKey),
    ['2'],
  );
  assert.match(String(refused[0]?.reason), /EntityTooLarge/);
  assert.deepEqual(
    (await rowsOf(server.connectionString(), 'largerows')).map(({ rowKey }) => rowKey),
    ['0', '1'],
  );
});

test(`a table takes ${POLICIES_MAX} policies`, async () => {
  await runTool(async ({ source }) => {
    const endpoint = new Endpoint(parseAddress(server.connectionString()), 'table', source);
    for (const [count, isSet] of [
      [POLICIES_MAX - 1, true],
      [POLICIES_MAX, true],
      [POLICIES_MAX + 1, false],
    ] as const) {
      const table = new TargetTable(endpoint, `guarded${count}`, source);
      await table.create();
      const policies = Array.from({ length: count }, (_, i) => ({ id: `p${i}`, permission: 'r' }));
      assert.equal(await table.setPolicies(policies), isSet, String(count));
    }
  });
});

const piece = (bytes: number): string => Buffer.alloc(bytes, 'x').toString('base64');
