// The kill loop's judges of blobs detect faults: in bodies that are not whole, on a server where another client writes without the knowledge of the
// writers that keep the books, and in files that were removed.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type RunningServer, serve } from 'shelfmark';
import { until } from '#base/testing/until';
import { Random } from '../../simulation/plan/random.js';
import { Connection } from '../../support/worker-processes.js';
import { faultsOfFile } from '../found.js';
import { faultsOf, THE_END } from '../history.js';
import { Journal } from '../journal.js';
import { Trigger } from '../trigger.js';
import { type BlobCall, rawBlobRequest } from './blob-request.js';
import { BlobWork } from './blob-work.js';
import { CONTAINER, faultsOfContents, foundBlobsInStore, foundByBlobServer } from './found-blobs.js';
import { faultOfBody, type Part, partText } from './parts.js';

const part = (version: number, at = 1, of = 1, length = 60): Part => ({
  owner: 'w0',
  version,
  at,
  of,
  length,
});

test('a body that is not whole, or of two versions, is found', () => {
  const [one, two] = [partText(part(1, 1, 2)), partText(part(1, 2, 2))];
  const fault = (body: string, kind = 'block') => faultOfBody(kind, 'w0', body);
  assert.equal(fault(one + two), undefined);
  assert.equal(fault(partText(part(2)) + '\0'.repeat(512), 'page'), undefined);
  assert.equal(fault(partText(part(1)) + partText(part(3)), 'append'), undefined);
  assert.match(fault(one) ?? '', /several versions/);
  assert.match(fault(two + one) ?? '', /several versions/);
  assert.match(fault(one + partText(part(2, 2, 2))) ?? '', /several versions/);
  assert.match(fault((one + two).slice(0, -1)) ?? '', /is not whole/);
  assert.match(fault(one.replace('bb', 'bc') + two) ?? '', /is not whole/);
  assert.match(fault(`${one}\0${two}`) ?? '', /No part begins/);
  assert.match(fault(partText(part(3)) + partText(part(1)), 'append') ?? '', /several versions/);
  assert.match(faultOfBody('block', 'w1', one + two) ?? '', /is not of w1/);
});

interface Subject {
  readonly data: string;
  readonly server: RunningServer;
  readonly port: number;
  readonly work: BlobWork;
  /** Behind everybody's back. */
  tamper(call: BlobCall): Promise<void>;
}

const ANSWERS = 100;

/** Clients have written for a while, and all of them were answered. */
async function open(t: TestContext): Promise<Subject> {
  const data = mkdtempSync(join(tmpdir(), 'shelfmark-judges-'));
  const server = await serve({ data, tablePort: 0, queuePort: 0, blobPort: 0, logLevel: 'silent' });
  t.after(async () => {
    await server.close();
    rmSync(data, { recursive: true });
  });
  const port = Number(new URL(server.endpoints.blob ?? '').port);
  const work = new BlobWork(new Random(7), new Journal(), 1);
  await work.make(port);
  assert.deepEqual(await work.contest.judge(port), []);
  const watch = new Trigger();
  const clients = work.clients(port, watch);
  const running = Promise.all(clients.map(client => client.run()));
  const isFaulty = (): boolean => clients.some(({ faults }) => faults.length > 0);
  await until(`${ANSWERS} writes are answered`, () => watch.count >= ANSWERS || isFaulty());
  for (const client of clients) client.stop();
  await running;
  assert.deepEqual(
    clients.flatMap(({ faults }) => faults),
    [],
  );
  const connection = new Connection(port);
  t.after(() => connection.close());
  const tamper = async (call: BlobCall) => {
    const { status, body } = await connection.request(rawBlobRequest(call));
    assert(status < 300, body);
  };
  return { data, server, port, work, tamper };
}

const BLOCK_BLOB = { 'x-ms-blob-type': 'BlockBlob' };

test('what is read of a server, and of its files, is what was written; a blob that changes is found', async t => {
  const { data, server, port, work, tamper } = await open(t);
  const faults = async () => faultsOf(work.histories(), await foundByBlobServer(port), THE_END);
  assert.deepEqual(await faults(), []);
  assert.deepEqual(await work.contest.judge(port), []);
  const path = `${CONTAINER}/w0-block`;
  const body = partText({ ...part(1), owner: 'w0' });
  await tamper({ method: 'PUT', path, headers: BLOCK_BLOB, body });
  assert.match((await faults()).join(), /blobs of w0: of \d+ steps/);
  await tamper({ method: 'DELETE', path, headers: { 'x-ms-delete-snapshots': 'include' } });
  assert.match((await faults()).join(), /blobs of w0: of \d+ steps/);
  await tamper({ method: 'PUT', path: `${CONTAINER}/other`, headers: BLOCK_BLOB, body });
  assert.match((await faults()).join(), /blob other is there, and nobody wrote it/);
  const found = await foundByBlobServer(port);
  await server.close();
  assert.deepEqual(await foundBlobsInStore(data), found);
});

test('a content that is missing or torn, and one that is nobody’s, are found', async t => {
  const { data, server, tamper } = await open(t);
  const body = partText({ ...part(1), length: 40_000 });
  await tamper({ method: 'PUT', path: `${CONTAINER}/w0-block`, headers: BLOCK_BLOB, body });
  await server.close();
  assert.deepEqual([...(await faultsOfFile(data)), ...(await faultsOfContents(data))], []);
  const [space = ''] = readdirSync(join(data, 'contents')).filter(name => /^\d+$/.test(name));
  writeFileSync(join(data, 'contents', space, 'strange'), 'x');
  const [content = ''] = readdirSync(join(data, 'contents', space)).filter(name => name !== 'strange');
  // A name that no content has is not swept.
  writeFileSync(join(data, 'contents', space, 'stray.part'), 'x');
  assert.match((await faultsOfContents(data)).join(), /no row names the content stray.part/);
  const path = join(data, 'contents', space, content);
  const whole = readFileSync(path);
  const torn = Buffer.from(whole).fill(0, 4096, 8192);
  writeFileSync(path, torn);
  assert.match(
    (await faultsOfFile(data)).join(),
    new RegExp(`the content ${content} is damaged in its bytes 0`),
  );
  writeFileSync(path, whole);
  assert.deepEqual(await faultsOfFile(data), []);
  rmSync(path);
  assert.match((await faultsOfContents(data)).join(), new RegExp(`the content ${content} is missing`));
  assert.match((await faultsOfFile(data)).join(), new RegExp(`the content ${content} is missing`));
});

test('two that win with one ETag, have one lease or append at one place are found', async t => {
  const { work } = await open(t);
  const { contest } = work;
  for (const client of [8, 9]) {
    contest.won('"0x1"', `c${client}`);
    contest.acquired(client);
    contest.appended(1e9, `c${client}`);
  }
  assert.deepEqual(contest.faults, [
    'contest: c8 and c9 both won with "0x1".',
    'contest: 9 got the lease while 8 had it.',
    'contest: c8 and c9 were both appended at 1000000000.',
  ]);
});

test('a lease that is lost, a prize that nobody won and a log that nobody wrote are found', async t => {
  const { port, work, tamper } = await open(t);
  const { contest } = work;
  const put = { method: 'PUT', headers: BLOCK_BLOB } as const;
  const [prize, appended] = [partText({ ...part(1), owner: 'c9' }), partText({ ...part(2), owner: 'c9' })];
  contest.acquired(2);
  await tamper({ ...put, path: 'contest/prize', body: prize });
  await tamper({ method: 'PUT', path: 'contest/log', query: 'comp=appendblock', body: appended });
  const faults = (await contest.judge(port)).join('\n');
  assert.match(faults, /the prize has c9 1/);
  assert.match(faults, /renewing a lease that was acquired before the kill: 409/);
  assert.match(faults, /writing without the lease: 201/);
  assert.match(faults, /nobody appended c9 2/);
  contest.faults.length = 0;
  contest.appended(1e9, 'c9 3 1/1 60');
  assert.match(
    (await contest.judge(port)).join(),
    /c9 3 1\/1 60 was appended at 1000000000, where undefined is/,
  );
});
