// The port for health and metrics: its answers while a server starts, runs and stops, and that its paths are accounts' on the
// port of the service.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serve } from '../serve.js';
import { openOperationsPort } from './operations-port.js';

const OPERATIONS = { port: 0 };

test('health, readiness and metrics of a server, and nothing else', async t => {
  const server = await serve({ operations: OPERATIONS, accounts: { healthz: ['AQID'] } });
  t.after(() => server.close());
  const origin = `http://127.0.0.1:${server.operationsPort}`;
  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(origin + path, { method });
    return [response.status, await response.text()] as const;
  };
  assert.deepEqual(await ask('/healthz'), [200, 'ok\n']);
  assert.deepEqual(await ask('/readyz?verbose'), [200, 'ok\n']);
  assert.deepEqual(await ask('/readyz', 'HEAD'), [200, '']);
  assert.equal((await ask('/metrics', 'POST'))[0], 405);
  for (const path of ['/', '/metrics/', '/healthz/Tables', '/devstoreaccount1/Tables'])
    assert.equal((await ask(path))[0], 404, path);
  // On the port of the service the path names the account, and callers have to authenticate.
  assert.equal((await fetch(`${server.tableEndpoint}/Tables`)).status, 403);
  assert.equal((await fetch(`http://127.0.0.1:${server.tablePort}/metrics`)).status, 403);
  const response = await fetch(`${origin}/metrics`);
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  for (const line of [
    /^shelfmark_ready 1$/m,
    /^shelfmark_connections [1-9]\d*$/m,
    /^shelfmark_requests_total\{operation="queryTables",status="403"\} 1$/m,
    /^shelfmark_refusals_total\{code="AuthenticationFailed"\} \d$/m,
    /^process_resident_memory_bytes [1-9]\d+$/m,
  ])
    assert.match(text, line);
  assert.doesNotMatch(text, /AQID/);
});

test('no port is opened and nothing is counted unless it is asked for', async t => {
  const server = await serve();
  t.after(() => server.close());
  await fetch(`${server.tableEndpoint}/Tables`);
  assert.equal(server.operationsPort, undefined);
  const families = await server.view.families();
  assert.ok(!families.some(({ name }) => name === 'shelfmark_requests_total'));
});

test('a server that ends is not ready', async () => {
  const server = await serve();
  assert.equal(await server.view.unreadiness(), undefined);
  const closed = server.close();
  assert.equal(await server.view.unreadiness(), 'stopping');
  await closed;
});

test('who is not ready says why with 503, and is healthy all the same', async t => {
  const view = { unreadiness: () => 'the store gave up', families: () => [] };
  const port = await openOperationsPort(OPERATIONS, view);
  t.after(() => port.close());
  const origin = `http://127.0.0.1:${port.port}`;
  const ready = await fetch(`${origin}/readyz`);
  assert.deepEqual([ready.status, await ready.text()], [503, 'not ready: the store gave up\n']);
  assert.equal((await fetch(`${origin}/healthz`)).status, 200);
});
