// Pages of large rows: how many rows are requested, and that all arrive whatever their sizes.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { parseAddress } from './address.js';
import { Endpoint } from './endpoint.js';
import { pacesOf } from './pace.js';
import { TableRows, topFor } from './table-rows.js';
import { Transport } from './transport.js';

const MIB = 1_048_576;
const PAGE_ROWS_MAX = 1000;

test('rows are requested by two MiB, at least one, and by full pages if these are shorter', () => {
  for (const [rowBytes, top] of [
    [0, undefined],
    [(2 * MIB) / PAGE_ROWS_MAX - 1, undefined],
    [(2 * MIB) / PAGE_ROWS_MAX, undefined],
    [(2 * MIB) / PAGE_ROWS_MAX + 1, 999],
    [MIB - 1, 2],
    [MIB, 2],
    [MIB + 1, 1],
    [2 * MIB - 1, 1],
    [2 * MIB, 1],
    [2 * MIB + 1, 1],
  ] as const)
    assert.equal(topFor(rowBytes), top, String(rowBytes));
});

/** A server with one table, whose page ends at `$top` or at `most` characters of values; and the `$top` of each request. */
async function serve(t: TestContext, sizes: readonly number[], most: number) {
  const tops: (number | undefined)[] = [];
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? '', 'http://localhost').searchParams;
    const top = query.has('$top') ? Number(query.get('$top')) : undefined;
    tops.push(top);
    const first = Number(query.get('NextRowKey') ?? 0);
    const rows: unknown[] = [];
    let length = 0;
    let at = first;
    for (; at < sizes.length && rows.length < (top ?? PAGE_ROWS_MAX) && length < most; at++) {
      const size = sizes[at] ?? 0;
      rows.push({ PartitionKey: 'p', RowKey: String(at).padStart(6, '0'), text: 'x'.repeat(size) });
      length += size;
    }
    if (at < sizes.length) {
      response.setHeader('x-ms-continuation-NextPartitionKey', 'p');
      response.setHeader('x-ms-continuation-NextRowKey', String(at));
    }
    response.end(JSON.stringify({ value: rows }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const transport = new Transport();
  t.after(() => {
    transport.close();
    server.close();
  });
  const endpoint = `http://127.0.0.1:${port}/account`;
  const address = parseAddress(`AccountName=account;AccountKey=AAAA;TableEndpoint=${endpoint}`);
  const rows = new TableRows(
    new Endpoint(address, 'table', {
      transport,
      paceOf: pacesOf({ parallel: 4, rate: undefined }),
      retryForMilliseconds: 1000,
      signal: undefined,
      onRetry: () => {},
    }),
  );
  return { rows, tops };
}

test('a page of large rows is followed by short ones, which grow again where rows are small', async t => {
  const large = Array.from({ length: 12 }, () => 600_000);
  const small = Array.from({ length: 5000 }, () => 10);
  const { rows, tops } = await serve(t, [...large, ...small, ...large], MIB);
  const keys: string[] = [];
  for await (const page of rows.pages('table')) keys.push(...page.map(({ rowKey }) => rowKey));
  assert.deepEqual(
    keys,
    Array.from({ length: 5024 }, (_, i) => String(i).padStart(6, '0')),
  );
  assert.deepEqual(tops.slice(0, 4), [undefined, 3, 3, 3]);
  const grown = tops.lastIndexOf(undefined);
  assert(grown > 4 && grown < tops.length - 1, tops.join());
  assert.equal(tops.at(-1), 3);
});
