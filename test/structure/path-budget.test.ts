// How much code one Insert Entity runs through, stop by stop: a warm one over a socket, signed with SharedKeyLite,
// without content in its answer, on the embedded engine as it is shipped. Put Blob, Get Messages and the library's create in all. A ratchet: a smaller path lowers the bound
// here. The sums are bounded too, at 33 files, 165 functions and 950 lines. For comparison Azurite 3.37, in memory,
// runs 33 files, 138 functions and 904 lines. PATH_BUDGET=list prints the share of each file.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { TableServiceClient } from '@azure/data-tables';
import { BlobServiceClient } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';
import { type ExecutedFile, ExecutionRecorder } from '../support/executed-code.js';
import { inAccount, type RawResponse, rawRequest } from '../support/raw-client.js';
import { ROOT } from '../support/spawned-server.js';

const FILES_MAX = 33;
const FUNCTIONS_MAX = 165;
/** Lines of TypeScript, without those of brackets only. */
const LINES_MAX = 950;

/** Files of two more requests, each by its official client: a blob of 1 KB, and the one message of a queue. */
const PUT_BLOB_FILES_MAX = 43;
const GET_MESSAGES_FILES_MAX = 42;
/** Files of the pattern library that one `create` of a plain row runs through. */
const CREATE_FILES_MAX = 18;

/** The stops of ARCHITECTURE.md: a file belongs to the first one whose pattern matches, and its lines are bounded. */
const STOPS: readonly { readonly stop: string; readonly files: RegExp; readonly linesMax: number }[] = [
  { stop: 'base', files: /^base\//, linesMax: 29 },
  { stop: 'http', files: /^http\//, linesMax: 155 },
  { stop: 'auth', files: /^server\/auth\/|^wire\/auth\/|\/(?:authorize|rights)\.ts$/, linesMax: 41 },
  {
    stop: 'target',
    files: /^wire\/(?:shared\/target|table\/route)\.ts$/,
    linesMax: 52,
  },
  { stop: 'render', files: /^wire\/(?:table|shared)\/(?:.*format-|answer)/, linesMax: 56 },
  { stop: 'parse', files: /^wire\/|^server\/services\/table\/admit\.ts$/, linesMax: 133 },
  { stop: 'frame', files: /^server\//, linesMax: 55 },
  { stop: 'domain', files: /^(?:tables|account)\//, linesMax: 118 },
  { stop: 'engine', files: /^store/, linesMax: 311 },
];

/**
 * Warm Inserts, each as the code that it ran: fifteen, or on a busy machine, where a timer's work may be part of many,
 * more until it is enough.
 */
async function measureInserts(
  recorder: ExecutionRecorder,
  data: string,
  isEnough: (measured: readonly ExecutedFile[][]) => boolean,
): Promise<ExecutedFile[][]> {
  const { serve } = await import('shelfmark');
  const server = await serve({ data });
  const post = (path: string, body: object): Promise<RawResponse> =>
    rawRequest(server, {
      method: 'POST',
      target: inAccount(server, path),
      headers: {
        Accept: 'application/json;odata=nometadata',
        'Content-Type': 'application/json',
        Prefer: 'return-no-content',
      },
      body: JSON.stringify(body),
    });
  const insert = async (rowKey: string): Promise<void> => {
    const entity = {
      PartitionKey: 'p',
      RowKey: rowKey,
      name: 'Ada',
      born: 1815,
      'born@odata.type': 'Edm.Int32',
    };
    assert.equal((await post('/people', entity)).status, 204);
  };
  try {
    await post('/Tables', { TableName: 'people' });
    for (let i = 0; i < 40; i++) await insert(`warm${i}`);
    const measured: ExecutedFile[][] = [];
    while (measured.length < 200 && (measured.length < 15 || !isEnough(measured))) {
      await recorder.skip();
      await insert(`measured${measured.length}`);
      measured.push([...(await recorder.take())]);
    }
    return measured;
  } finally {
    await server.close();
  }
}

const linesOf = (files: readonly ExecutedFile[]): number =>
  files.reduce((sum, file) => sum + file.lines.length, 0);

const stopOf = ({ path }: ExecutedFile): string | undefined =>
  STOPS.find(({ files }) => files.test(path.slice('packages/'.length)))?.stop;

/**
 * For each stop the measurement with the fewest files, and of these the one with the fewest lines: a checkpoint, a
 * periodic sweep or the creation of the disk reserve may happen in between, and is no part of the path. A commit that
 * bypasses the log on a busy disk has fewer lines in more files.
 */
const leastOfEachStop = (measured: readonly (readonly ExecutedFile[])[]): readonly ExecutedFile[] =>
  [...STOPS.map(({ stop }) => stop), undefined].flatMap(stop => {
    const ofStop = measured.map(files => files.filter(file => stopOf(file) === stop));
    return ofStop.sort((a, b) => a.length - b.length || linesOf(a) - linesOf(b))[0] ?? [];
  });

const functionsOf = (files: readonly ExecutedFile[]): number =>
  files.reduce((sum, { functions }) => sum + functions.length, 0);

const summary = (files: readonly ExecutedFile[]): string =>
  `${files.length} files, ${functionsOf(files)} functions, ${linesOf(files)} lines`;

/** What exceeds its bound. */
function faultsOf(files: readonly ExecutedFile[]): readonly string[] {
  const faults = files.flatMap(file => (stopOf(file) === undefined ? `${file.path} is of no stop` : []));
  for (const { stop, linesMax } of STOPS) {
    const lines = linesOf(files.filter(file => stopOf(file) === stop));
    if (lines === 0) faults.push(`${stop}: nothing of it ran`);
    if (lines > linesMax) faults.push(`${stop}: ${lines} lines, ${linesMax} at most`);
  }
  if (files.length > FILES_MAX) faults.push(`${files.length} files, ${FILES_MAX} at most`);
  const functions = functionsOf(files);
  if (functions > FUNCTIONS_MAX) faults.push(`${functions} functions, ${FUNCTIONS_MAX} at most`);
  if (linesOf(files) > LINES_MAX) faults.push(`${linesOf(files)} lines, ${LINES_MAX} at most`);
  return faults;
}

async function begin(
  t: TestContext,
  folder = '',
): Promise<{ readonly data: string; readonly recorder: ExecutionRecorder }> {
  const data = await mkdtemp(join(tmpdir(), 'shelfmark-budget-'));
  t.after(() => rm(data, { recursive: true, force: true }));
  const recorder = new ExecutionRecorder(ROOT, join(ROOT, 'dist', 'packages', folder));
  await recorder.start();
  t.after(() => recorder.stop());
  return { data, recorder };
}

function listIfAsked(t: TestContext, files: readonly ExecutedFile[]): void {
  if (process.env.PATH_BUDGET !== 'list') return;
  for (const file of files) {
    const names = file.functions.map(({ name, calls }) => (calls > 1 ? `${name} x${calls}` : name));
    t.diagnostic(`${file.lines.length} ${stopOf(file)} ${file.path}: ${names.join(', ')}`);
  }
}

test('one Insert stays in the budget of its path, stop by stop', async t => {
  const { data, recorder } = await begin(t);
  const isWithin = (measured: readonly ExecutedFile[][]) => faultsOf(leastOfEachStop(measured)).length === 0;
  const files = leastOfEachStop(await measureInserts(recorder, data, isWithin));

  t.diagnostic(`in all: ${summary(files)}`);
  for (const { stop } of STOPS)
    t.diagnostic(`${stop}: ${summary(files.filter(file => stopOf(file) === stop))}`);
  listIfAsked(t, files);
  assert.deepEqual(faultsOf(files), []);
});

test('one Put Blob and one Get Messages run through few files', async t => {
  const { data, recorder } = await begin(t);
  const { serve } = await import('shelfmark');
  const server = await serve({ data });
  t.after(() => server.close());
  const container = BlobServiceClient.fromConnectionString(server.connectionString()).getContainerClient(
    'blobs',
  );
  await container.create();
  const queue = QueueServiceClient.fromConnectionString(server.connectionString()).getQueueClient('messages');
  await queue.create();
  const body = Buffer.alloc(1024, 'content');
  const walks = [
    {
      name: 'Put Blob',
      filesMax: PUT_BLOB_FILES_MAX,
      prepare: () => undefined,
      ask: (request: number) => container.getBlockBlobClient(`blob${request}`).upload(body, body.length),
    },
    {
      name: 'Get Messages',
      filesMax: GET_MESSAGES_FILES_MAX,
      prepare: () => queue.sendMessage('text'),
      ask: () => queue.receiveMessages(),
    },
  ];
  for (const { name, filesMax, prepare, ask } of walks) {
    let least: readonly ExecutedFile[] | undefined;
    for (let request = 0; request < 240 && (request < 55 || (least?.length ?? 0) > filesMax); request++) {
      await prepare();
      await recorder.skip();
      await ask(request);
      const files = [...(await recorder.take())];
      if (request >= 40 && (least === undefined || files.length < least.length)) least = files;
    }
    assert(least);
    t.diagnostic(`${name}: ${summary(least)}`);
    listIfAsked(t, least);
    assert(least.length <= filesMax, `${name}: ${summary(least)}, ${filesMax} files at most`);
  }
});

test('a create runs through few files of the library', async t => {
  const { data, recorder } = await begin(t, 'patterns');
  const { entity, key, open, t: types } = await import('#patterns');
  const { serve } = await import('shelfmark');
  const server = await serve({ data });
  t.after(() => server.close());
  const Person = entity('Person', {
    version: 1,
    table: 'People',
    props: { team: types.string(), id: types.int32(), name: types.string() },
    partition: p => key(p.team),
    row: p => key('person', p.id),
  });
  const options = { allowInsecureConnection: true };
  const tables = TableServiceClient.fromConnectionString(server.connectionString(), options);
  await tables.createTable('People');
  const people = open({ tables }).repo(Person);
  for (let id = 0; id < 40; id++) await people.create({ team: 'a', id, name: 'Ann' });
  await recorder.skip();
  await people.create({ team: 'a', id: 40, name: 'Ann' });
  const files = await recorder.take();
  listIfAsked(t, files);
  const paths = files.map(({ path }) => path).join(', ');
  assert(files.length <= CREATE_FILES_MAX, `${files.length} files: ${paths}`);
});
