// A disk that stalls under a flood of writes: waiting writes are bounded in number and in bytes, all others are
// refused at once, reads go on, memory stays flat, and the waiting writes are applied in the end. The stall is another process that
// keeps LMDB's write lock. Run by npm run test:overload.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type SpawnedServer, spawnServer } from '../support/spawned-server.js';
import { Connection } from '../support/worker-processes.js';
import { createTable, get, send } from '../support/worker-server.js';

const skip = process.env.SHELFMARK_LONG !== '1' || process.platform !== 'linux';
const MODULE = new URL('../../packages/store-lmdb/index.js', import.meta.url).href;
const STALL_MILLISECONDS = 8_000;
const MEBIBYTE = 2 ** 20;

const residentMebibytes = ({ pid }: SpawnedServer): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** Resolves once the right to write is taken; it is given back after a while. */
async function stall(t: TestContext, directory: string): Promise<void> {
  const script = `
    import { writeSync } from 'node:fs';
    import { openLmdbStore } from ${JSON.stringify(MODULE)};
    const store = await openLmdbStore({ directory: process.argv[1] });
    const space = await store.getSpace({ account: 'devstoreaccount1', service: 'table', name: 'things' });
    await store.commit(space, 'none', { keys: [] }, () => {
      writeSync(1, 'stalled\\n');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${STALL_MILLISECONDS});
      return { result: true };
    });
    await store.close();
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
}

interface Flood {
  readonly written: number;
  readonly refused: number;
  /** Highest of the samples. */
  readonly mebibytes: number;
}

/** Each connection inserts, one after the other, until the stall is over; who is refused comes again a little later. */
async function flood(
  server: SpawnedServer,
  connections: readonly Connection[],
  textBytes: number,
): Promise<Flood> {
  const text = 'x'.repeat(textBytes);
  const end = performance.now() + STALL_MILLISECONDS - 1_000;
  let [written, refused, mebibytes] = [0, 0, 0];
  const sampling = setInterval(() => {
    mebibytes = Math.max(mebibytes, residentMebibytes(server));
  }, 50);
  const inserting = connections.map(async (connection, i) => {
    for (let round = 0; performance.now() < end; round++) {
      const entity = { PartitionKey: 'p', RowKey: `${i}.${round}`, a: text, b: text };
      const reply = await connection.request(send('POST', '/things', entity));
      if (reply.status === 204) written += 1;
      else {
        assert.equal(reply.status, 503, reply.body);
        assert.match(reply.body, /"code":"ServerBusy".*The server is busy\./);
        assert.equal(reply.headers['retry-after'], '1');
        refused += 1;
        await new Promise(resolve => setTimeout(resolve, 100));
      }
    }
  });
  await Promise.all(inserting);
  clearInterval(sampling);
  return { written, refused, mebibytes };
}

async function overloads(t: TestContext, args: readonly string[], textBytes: number): Promise<Flood> {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-stalled-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const server = await spawnServer(['serve', '--data', directory, '--table-port', '0', '--silent', ...args]);
  t.after(() => server.stop('SIGKILL'));
  const connections = Array.from({ length: 400 }, () => new Connection(server.port));
  t.after(() => connections.map(connection => connection.close()));
  const reader = new Connection(server.port);
  t.after(() => reader.close());
  await reader.request(createTable('things'));
  await Promise.all(connections.map(connection => connection.request(get('/things'))));
  const before = residentMebibytes(server);
  await stall(t, directory);
  const flooding = flood(server, connections, textBytes);
  await new Promise(resolve => setTimeout(resolve, 500));
  for (let reads = 0; reads < 20; reads++) {
    assert.equal((await reader.request(get('/things?$top=1'))).status, 200);
    await new Promise(resolve => setTimeout(resolve, 100));
  }
  const result = await flooding;
  const grown = Math.round(result.mebibytes - before);
  t.diagnostic(
    `${result.written} written, ${result.refused} refused, ${grown} MiB more than before ${Math.round(before)}`,
  );
  assert(result.refused > 100, 'The flood was more than is taken.');
  assert(grown < 200, `${grown} MiB more`);
  const { body } = await reader.request(get('/things?$select=RowKey'));
  assert.equal(JSON.parse(body).value.length, Math.min(result.written, 1_000));
  assert.equal((await server.stop('SIGTERM')).code, 0);
  return result;
}

test('writes that wait are bounded in number', { skip, timeout: 60_000 }, async t => {
  const { written } = await overloads(t, ['--max-waiting-writes', '50'], 100);
  // Those that wait, and those that the group under way had taken before.
  assert(written >= 50 && written < 400, `${written} were written`);
});

test('writes that wait are bounded in bytes', { skip, timeout: 60_000 }, async t => {
  const textBytes = 30_000;
  const { written } = await overloads(t, ['--max-request-megabytes', '8'], textBytes);
  assert(written >= 1 && written * 2 * textBytes <= 16 * MEBIBYTE, `${written} were written`);
});
