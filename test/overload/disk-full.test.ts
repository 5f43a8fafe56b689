// A disk that becomes full under a server: writes are refused with their own text, reads and deletes still work,
// nothing is corrupt, and after space was freed, outside or by deletes, writes work again without a restart. Run by npm
// run verify overload, as root.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '#base/testing/until';
import { runToEnd, spawnServer } from '../support/spawned-server.js';
import { Connection, type Reply } from '../support/worker-processes.js';
import { createTable, get, send } from '../support/worker-server.js';
import { type DiskKind, newDisk } from './small-disk.js';

const skip = process.env.SHELFMARK_LONG !== '1' || process.platform !== 'linux';
const TEXT = 'No space is left to write to. What is there can be read and deleted.';

class Things {
  readonly #connections: readonly Connection[];
  /** Keys of existing rows. */
  readonly kept: string[] = [];
  #next = 0;

  constructor(connections: readonly Connection[]) {
    this.#connections = connections;
  }

  /** An insert of about a kilobyte on each connection. */
  insert(): Promise<Reply[]> {
    return Promise.all(
      this.#connections.map(async connection => {
        const RowKey = String((this.#next++ * 7919) % 1_000_003);
        const reply = await connection.request(
          send('POST', '/things', { PartitionKey: 'p', RowKey, text: 'x'.repeat(900) }),
        );
        if (reply.status === 204) this.kept.push(RowKey);
        return reply;
      }),
    );
  }

  /** Until some are refused; all others must be answered well. */
  async insertUntilFull(): Promise<Reply> {
    for (;;) {
      const refused = (await this.insert()).filter(({ status }) => status !== 204);
      for (const { status, body } of refused) assert.equal(status, 503, body);
      const full = refused.find(({ body }) => body.includes(TEXT));
      if (full) return full;
    }
  }

  async isThere(key: string, connection = this.#connections[0]): Promise<boolean> {
    return (await connection?.request(get(`/things(PartitionKey='p',RowKey='${key}')`)))?.status === 200;
  }

  async remove(count: number): Promise<void> {
    const keys = this.kept.splice(0, count);
    const share = Math.ceil(keys.length / this.#connections.length);
    const removing = this.#connections.map(async (connection, i) => {
      for (const key of keys.slice(i * share, (i + 1) * share)) {
        const target = `/things(PartitionKey='p',RowKey='${key}')`;
        const reply = await connection.request({
          ...get(target),
          method: 'DELETE',
          headers: { 'If-Match': '*' },
        });
        assert.equal(reply.status, 204, reply.body);
      }
    });
    await Promise.all(removing);
  }

  async goesOn(): Promise<void> {
    await until('writes go on', async () => (await this.insert()).every(({ status }) => status === 204));
  }
}

async function fills(t: TestContext, kind: DiskKind, workers: number): Promise<void> {
  const disk = newDisk(t, kind, 16);
  if (disk === undefined) return;
  const data = join(disk.path, 'data');
  const server = await spawnServer(
    ['serve', '--table-port', '0', '--data', data, '--workers', String(workers)],
    {},
  );
  t.after(() => server.stop('SIGKILL'));
  const connections = Array.from({ length: 8 }, () => new Connection(server.port));
  t.after(() => connections.map(connection => connection.close()));
  await connections[0]?.request(createTable('things'));
  const things = new Things(connections);
  for (let round = 0; round < 200; round++) await things.insert();
  // Another program writes this, and removes it again.
  const giveBack = disk.fill(500_000);
  const refused = await things.insertUntilFull();
  assert.equal(refused.headers['retry-after'], undefined);
  assert.match(refused.body, /"code":"ServerBusy"/);
  assert(await things.isThere(things.kept[0] ?? ''));
  await things.remove(100);
  giveBack();
  await things.goesOn();
  // Its own data fills the disk, and only deletes free space.
  await things.insertUntilFull();
  await things.remove(things.kept.length - 500);
  await things.goesOn();
  for (const key of things.kept.slice(0, 20)) assert(await things.isThere(key));
  assert.equal((await server.stop('SIGTERM')).code, 0);
  const checked = await runToEnd(['check', data]);
  assert.match(
    checked.stdout,
    new RegExp(`devstoreaccount1/things: ${things.kept.length} entities.*\\nwhole\\n$`, 's'),
  );
  assert.equal(checked.code, 0);
}

test('a disk in memory that becomes full', { skip }, t => fills(t, 'tmpfs', 1));

test('a disk with ext4 that becomes full under two processes', { skip }, t => fills(t, 'ext4', 2));
