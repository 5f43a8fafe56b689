// Limits that a load keeps, one below, at and one above: changes and bytes of a transaction; and what a checkpoint
// writes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Row } from '../../packages/data-tools/index.js';
import { rowOf } from '../../packages/data-tools/testing/nasty-rows.js';
import { linesOf, loadInto } from './tool-run.js';

const MIB = 1_048_576;
const CHANGES_MAX = 100;
const TRANSACTION_BYTES_MAX = 4 * MIB;

/** Loads rows into a server that accepts all; returns the changes and the bytes of each request. */
async function requestsOf(
  rows: readonly Row[],
  checkpointMilliseconds = 60_000,
): Promise<readonly { changes: number; bytes: number }[]> {
  const directory = await mkdtemp(join(tmpdir(), 'shelfmark-limits-'));
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
    const to = `AccountName=account;AccountKey=AAAA;TableEndpoint=${endpoint}`;
    const path = join(directory, 'rows.jsonl');
    await writeFile(path, linesOf(rows));
    await loadInto(to, path, { tables: ['rows'] }, { parallel: 1, checkpointMilliseconds });
  } finally {
    taker.closeAllConnections();
    taker.close();
    await rm(directory, { recursive: true });
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
  // The writer's count in addition to the values: 400 bytes for the request; for each row 400, 48 for its URL with
  // two keys of one character, and the rest of its content.
  const counted = 400 + 2 * (400 + 48 + '{"PartitionKey":"p","RowKey":"0","s":""}'.length);
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

test('a checkpoint waits until the rows before it are written', async () => {
  // Each is a page.
  const rows = ['0', '1', '2'].map(key => rowOf('p', key, [['s', 'String', 'x'.repeat(64 * 1024)]]));
  for (const [milliseconds, expected] of [
    [0, [1, 1, 1]],
    [60_000, [3]],
  ] as const) {
    const requests = await requestsOf(rows, milliseconds);
    assert.deepEqual(
      requests.map(({ changes }) => changes),
      expected,
    );
  }
});
