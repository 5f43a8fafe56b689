// A disk that stalls under a flood of writes: waiting writes are bounded in number and in bytes, all others are refused
// at once, reads still work, memory stays flat, and the waiting writes are applied in the end. The stall is another
// process that holds LMDB's write lock. Run by npm run verify overload.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '#base/testing/until';
import { residentBytes, type SpawnedServer, spawnServer } from '../support/spawned-server.js';
import { Connection } from '../support/worker-processes.js';
import { createTable, get, send } from '../support/worker-server.js';

const skip = process.env.SHELFMARK_LONG !== '1' || process.platform !== 'linux';
const MODULE = new URL('../../packages/store-lmdb/index.js', import.meta.url).href;
/** Refused writes, after which the flood ends; reads run at the same time. */
const REFUSALS = 5_000;
const READS = 20;
const MEBIBYTE = 2 ** 20;

const residentMebibytes = (server: SpawnedServer): number => residentBytes(server) / MEBIBYTE;

/** Resolves once the write lock is taken, to a function that releases it. */
async function stall(t: TestContext, directory: string): Promise<() => void> {
  const script = `
    import { readSync, writeSync } from 'node:fs';
    import { openLmdbStore } from ${JSON.stringify(MODULE)};
    const store = await openLmdbStore({ directory: process.argv[1] });
    const space = await store.getSpace({ account: 'devstoreaccount1', service: 'table', name: 'things' });
    await store.commit(space, 'none', { keys: [] }, () => {
      writeSync(1, 'stalled\\n');
      readSync(0, Buffer.alloc(1));
      return { result: true };
    });
    await store.close();
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return () => child.stdin.end();
}

interface Flood {
  readonly written: number;
  readonly refused: number;
  /** Highest of the samples. */
  readonly mebibytes: number;
}

/** Each connection inserts, one after the other, until it is over; refused ones return a little later. */
class Flooding {
  refused = 0;
  #isOver = false;
  #written = 0;
  #mebibytes = 0;
  readonly #inserting: Promise<unknown>;

  constructor(server: SpawnedServer, connections: readonly Connection[], textBytes: number) {
    const text = 'x'.repeat(textBytes);
    const sampling = setInterval(() => {
      this.#mebibytes = Math.max(this.#mebibytes, residentMebibytes(server));
    }, 50);
    const inserting = connections.map((connection, i) => this.#insert(connection, i, text));
    this.#inserting = Promise.all(inserting).finally(() => clearInterval(sampling));
    // It is awaited in the end.
    this.#inserting.catch(() => undefined);
  }

  /** Nothing more is sent. */
  stop(): void {
    this.#isOver = true;
  }

  async end(): Promise<Flood> {
    await this.#inserting;
    return { written: this.#written, refused: this.refused, mebibytes: this.#mebibytes };
  }

  async #insert(connection: Connection, i: number, text: string): Promise<void> {
    for (let round = 0; !this.#isOver; round++) {
      const entity = { PartitionKey: 'p', RowKey: `${i}.${round}`, a: text, b: text };
      const reply = await connection.request(send('POST', '/things', entity));
      if (reply.status === 204) this.#written += 1;
      else {
        assert.equal(reply.status, 503, reply.body);
        assert.match(reply.body, /"code":"ServerBusy".*The server is busy\./);
        assert.equal(reply.headers['retry-after'], '1');
        this.refused += 1;
        await new Promise(resolve => setTimeout(resolve, 100));
      }
    }
  }
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
  const goOn = await stall(t, directory);
  const flooding = new Flooding(server, connections, textBytes);
  // All of these are answered before the disk resumes.
  for (let reads = 0; reads < READS; reads++) {
    const enough = ((reads + 1) / READS) * REFUSALS;
    await until(`${enough} writes are refused`, () => flooding.refused >= enough);
    assert.equal((await reader.request(get('/things?$top=1'))).status, 200);
  }
  flooding.stop();
  goOn();
  const result = await flooding.end();
  const grown = Math.round(result.mebibytes - before);
  t.diagnostic(
    `${result.written} written, ${result.refused} refused, ${grown} MiB more than before ${Math.round(before)}`,
  );
  assert(grown < 200, `${grown} MiB more`);
  const { body } = await reader.request(get('/things?$select=RowKey'));
  assert.equal(JSON.parse(body).value.length, Math.min(result.written, 1_000));
  assert.equal((await server.stop('SIGTERM')).code, 0);
  return result;
}

test('writes that wait are bounded in number', { skip, timeout: 240_000 }, async t => {
  const { written } = await overloads(t, ['--max-waiting-writes', '50'], 100);
  // Those that wait, and those that the group in progress had taken before.
  assert(written >= 50 && written < 400, `${written} were written`);
});

test('writes that wait are bounded in bytes', { skip, timeout: 240_000 }, async t => {
  const textBytes = 30_000;
  const { written } = await overloads(t, ['--max-request-megabytes', '8'], textBytes);
  assert(written >= 1 && written * 2 * textBytes <= 16 * MEBIBYTE, `${written} were written`);
});
