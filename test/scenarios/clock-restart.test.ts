// ETags rise over a restart of a real server although its clock was set back in between, or went ahead and came back.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type RunningServer, serve } from 'shelfmark';
import { tickOf } from '../histories/tick.js';
import { inAccount, type RawRequest, rawRequest } from '../support/raw-client.js';

const TICKS_PER_HOUR = 36_000_000_000n;
const NOW = 17_952_815_630_000_000n;
const ENTITY = "/things(PartitionKey='p',RowKey='r')";

async function ask(server: RunningServer, method: string, path: string, value?: object) {
  const body = value && JSON.stringify(value);
  // Requests are signed by the server's clock, which differs from this process's.
  const request: RawRequest = {
    method,
    target: inAccount(server, path),
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json;odata=nometadata',
      ...(method === 'DELETE' ? { 'If-Match': '*' } : {}),
    },
    ...(body === undefined ? {} : { body }),
  };
  const response = await rawRequest(server, { ...request, date: new Date(clockOf(server)) });
  assert.match(String(response.status), /^2/, response.body);
  return response;
}

const clocks = new WeakMap<RunningServer, bigint>();
const clockOf = (server: RunningServer): number => Number((clocks.get(server) ?? NOW) / 10_000n);

test('a clock that is set back between two runs never repeats an ETag, or returns a lower one', async t => {
  const data = await mkdtemp(join(tmpdir(), 'shelfmark-clock-'));
  t.after(() => rm(data, { recursive: true }));
  let last = 0n;
  for (const hours of [0n, -1n, 1n, 0n, -2n]) {
    const now = NOW + hours * TICKS_PER_HOUR;
    const server = await serve({ data, clock: () => now, durability: 'none' });
    clocks.set(server, now);
    if (last === 0n) await ask(server, 'POST', '/Tables', { TableName: 'things' });
    for (const [method, value] of [
      ['PUT', { n: 1 }],
      ['PATCH', { n: 2 }],
      ['DELETE', undefined],
      ['PUT', { n: 3 }],
    ] as const) {
      const { headers } = await ask(server, method, ENTITY, value);
      if (method === 'DELETE') continue;
      const tick = tickOf(headers.etag);
      assert(tick > last, `${tick} came after ${last}, at ${hours} hours`);
      last = tick;
    }
    await server.close();
  }
});
