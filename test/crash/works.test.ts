// The kill loop's judges detect faults: on a server that another client writes to without their knowledge, and in copies of
// its files from before and after.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type RunningServer, serve } from 'shelfmark';
import { until } from '#base/testing/until';
import type { Step } from '../blobs/blob-model.js';
import { BLOB_WIRE } from '../blobs/blob-wire.js';
import type { Moment } from '../histories/history.js';
import { Journal } from '../histories/journal.js';
import { Trigger } from '../histories/trigger.js';
import { QUEUE_WIRE } from '../queues/wire.js';
import { drawFrom } from '../random/arbitrary.js';
import type { WritesCall } from '../simulation/judge/history.js';
import { TABLE_WIRE } from '../simulation/run/table-wire.js';
import { Connection } from '../support/worker-processes.js';
import { Works } from './works.js';

interface Subject {
  readonly server: RunningServer;
  readonly works: Works;
  readonly connections: Readonly<Record<'table' | 'queue' | 'blob', Connection>>;
  readonly journal: Journal;
  /** Copies of the files, as they are. */
  copy(): string;
}

const ANSWERS = 150;

/** Clients have written for a while, and all of them were answered. */
async function open(t: TestContext): Promise<Subject> {
  const root = mkdtempSync(join(tmpdir(), 'shelfmark-works-'));
  const data = join(root, 'data');
  const server = await serve({ data, tablePort: 0, queuePort: 0, blobPort: 0, logLevel: 'silent' });
  const ports = {
    table: server.tablePort,
    queue: server.queuePort ?? 0,
    blob: portOf(server.endpoints.blob),
  };
  const connections = {
    table: new Connection(ports.table),
    queue: new Connection(ports.queue),
    blob: new Connection(ports.blob),
  };
  t.after(async () => {
    for (const connection of Object.values(connections)) connection.close();
    await server.close();
    rmSync(root, { recursive: true });
  });
  const journal = new Journal();
  const works = new Works({ draw: drawFrom(7), journal, isOfOne: true });
  const watch = new Trigger();
  const runners = [
    ...works.table.writers(3, ports.table, watch),
    works.table.life('dropped', ports.table, watch),
    works.queue.life('aside', ports.queue, watch),
    ...works.blob.writers(['own'], ports.blob, watch),
    ...works.blob.contestants(ports.blob, watch),
    ...works.blob.readers(ports.blob, watch),
  ];
  const running = Promise.all(runners.map(one => one.run()));
  await until(`${ANSWERS} writes are answered`, () => watch.count >= ANSWERS || works.faults.length > 0);
  for (const one of runners) one.stop();
  await running;
  assert.deepEqual(works.faults, []);
  const copy = (): string => {
    const to = mkdtempSync(join(root, 'copy-'));
    cpSync(data, to, { recursive: true });
    return to;
  };
  return { server, works, connections, journal, copy };
}

const portOf = (endpoint: string | undefined): number => Number(new URL(endpoint ?? '').port);
const atEnd: Moment = { answeredBy: Number.MAX_SAFE_INTEGER, askedBy: Number.MAX_SAFE_INTEGER };
const step = (kind: Step['kind'], more: Partial<Step> = {}): Step => ({
  kind,
  blob: 0,
  other: 0,
  size: 40_000,
  fill: 254,
  ...more,
});
const tampered: WritesCall = {
  kind: 'writes',
  table: 'crash',
  writes: ['row0', 'row1'].map(key => ({
    kind: 'insertOrReplace',
    partition: 'p0',
    key,
    properties: [],
    match: 'absent',
  })),
  isBatch: true,
  prefer: undefined,
};

test('what is read of a server, and of a copy of its files, is what was written; what others change is found', async t => {
  const { works, connections, journal, copy, server } = await open(t);
  const early = { answeredBy: 0, askedBy: journal.note('half of nothing') / 2 };
  const before = copy();
  assert.deepEqual(await works.faultsOfCopy(before, atEnd), []);
  assert.match((await works.faultsOfCopy(copy(), early)).join(), /No order of the calls on table /);
  for (const service of ['table', 'queue', 'blob'] as const)
    assert.deepEqual(await works[service].judge(connections[service]), []);
  assert.deepEqual(await works.faultsOfCopy(copy(), atEnd), []);
  await TABLE_WIRE.send(connections.table, tampered);
  assert.match(
    (await works.table.judge(connections.table)).join(),
    /No order of the calls on table crash, partition "p0"/,
  );
  await QUEUE_WIRE.send(connections.queue, {
    kind: 'put',
    queue: 'aside',
    text: 'm0',
    delay: 0,
    life: undefined,
  });
  assert.match((await works.queue.judge(connections.queue)).join(), /No order of the calls on m0 in aside/);
  const written = step('put', { blob: 2 });
  await BLOB_WIRE.send(connections.blob, { kind: 'write', container: 'own', step: written });
  assert.match((await works.blob.judge(connections.blob)).join(), /No order of the calls on container own/);
  await server.close();
  assert.match((await works.faultsOfCopy(copy(), atEnd)).join(), /container own/);
});
