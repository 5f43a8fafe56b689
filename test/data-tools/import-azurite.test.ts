// Imports a folder that the real Azurite wrote: the result is what Azurite answered. azurite-import/make-folder.ts made the folder.
import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { type RunningServer, serve } from 'shelfmark';
import {
  type ImportOptions,
  importAzurite,
  openAzuriteFolder,
  parseAddress,
} from '../../packages/data-tools/index.js';
import { collect } from '../support/clients.js';
import { ROOT } from '../support/spawned-server.js';
import { type AccountAnswers, accountAnswers } from './azurite-import/account-answers.js';
import { exitOf, loadInto, runTool } from './tool-run.js';

const HERE = join(ROOT, 'test', 'data-tools', 'azurite-import');
const TABLES = '__azurite_db_table__.json';

describe('a folder of Azurite’s', () => {
  let server: RunningServer;
  let directory = '';
  let folder = '';
  let answers: AccountAnswers;
  before(async () => {
    answers = JSON.parse(await readFile(join(HERE, 'answers.json'), 'utf8'));
    directory = await mkdtemp(join(tmpdir(), 'shelfmark-import-'));
    folder = join(directory, 'folder');
    await cp(join(HERE, 'folder'), folder, { recursive: true });
  });
  after(() => rm(directory, { recursive: true }));
  beforeEach(async () => {
    server = await serve({ data: undefined });
  });
  afterEach(() => server.close());

  const run = (options: Partial<ImportOptions> = {}) =>
    runTool(context =>
      importAzurite(
        { target: parseAddress(server.connectionString()), input: folder, names: [], ...options },
        context,
      ),
    );

  test('has what Azurite answered, and a second import changes nothing', async () => {
    const { result, told } = await run();
    assert.deepEqual([result.exit, result.tables], ['done', answers.tables.length], JSON.stringify(told));
    const found = await accountAnswers(server.connectionString());
    // Hidden messages of the folder become visible an hour after it was made.
    const counts = ({ queues }: AccountAnswers) => queues.map(({ name, count }) => [name, count]);
    assert.deepEqual(counts(found), counts(answers));
    const visible = found.queues.map(queue => ({
      ...queue,
      messages: queue.messages.filter(text => text !== 'hidden' && text !== 'was taken'),
    }));
    assert.deepEqual({ ...found, queues: visible }, answers);
    assert.deepEqual(
      told.map(({ event, blob }) => [event, blob]),
      [
        ['note', 'small.txt'],
        ['note', 'unfinished'],
        ['note', 'pages'],
      ],
    );
    const again = await run();
    assert.equal(again.result.exit, 'conflict');
    assert.deepEqual(
      again.told.filter(({ event }) => event !== 'note').map(({ event, queue }) => [event, queue]),
      [
        ['conflict', 'jobs'],
        ['conflict', 'taken'],
      ],
    );
    assert.deepEqual(await accountAnswers(server.connectionString()), found);
  });

  test('is only read with --dry-run, and one table of it gets another name', async () => {
    const { written } = await run({ dryRun: true });
    assert.deepEqual(
      written
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line))
        .filter(({ table }) => table !== undefined)
        .map(({ table, rows }) => [table, rows]),
      answers.tables.map(({ name, rows }) => [name, rows.length]),
    );
    assert.deepEqual((await accountAnswers(server.connectionString())).tables, []);
    await run({ names: ['orders=Sales'] });
    const { tables, queues, containers } = await accountAnswers(server.connectionString());
    assert.deepEqual(
      tables.map(({ name, rows }) => [name, rows]),
      [['Sales', answers.tables.find(({ name }) => name === 'Orders')?.rows]],
    );
    assert.deepEqual([queues, containers], [[], []]);
  });

  test('needs its own command when given to a load, and a right key', async () => {
    await assert.rejects(loadInto(server.connectionString(), folder), {
      exitCode: 2,
      message: /import-azurite/,
    });
    const wrong = server.connectionString().replace(/AccountKey=[^;]*/, 'AccountKey=AAAA');
    await assert.rejects(run({ target: parseAddress(wrong) }), {
      exitCode: 3,
      message: /AuthenticationFailed/,
    });
  });

  test('that is invalid, damaged, or has several accounts is reported before anything is written', async () => {
    assert.equal(await exitOf(run({ input: join(directory, 'missing') })), 4);
    assert.equal(await exitOf(run({ input: directory })), 2);
    assert.equal(await exitOf(run({ account: 'another' })), 4);
    const text = await readFile(join(folder, TABLES), 'utf8');
    const changed = join(directory, 'changed');
    await cp(folder, changed, { recursive: true });
    await writeFile(join(changed, TABLES), text.slice(0, -100));
    assert.equal(await exitOf(run({ input: changed })), 7);
    await writeFile(
      join(changed, TABLES),
      text
        .replace('"devstoreaccount1","table":"Empty"', '"other","table":"Empty"')
        .replace('"account":"devstoreaccount1"', '"account":"other"'),
    );
    assert.equal(await exitOf(run({ input: changed })), 2);
    for (const lost of ['__azurite_db_blob_extent__.json', '__blobstorage__']) {
      await rm(changed, { recursive: true });
      await cp(folder, changed, { recursive: true });
      await rm(join(changed, lost), { recursive: true });
      await assert.rejects(run({ input: changed }), {
        exitCode: 7,
        message: /is not there: the folder is damaged/,
      });
    }
    for (const service of ['blob', 'queue']) {
      await rm(changed, { recursive: true });
      await cp(folder, changed, { recursive: true });
      const contents = join(changed, `__${service}storage__`);
      for (const name of await readdir(contents)) await truncate(join(contents, name), 1);
      await assert.rejects(run({ input: changed }), { exitCode: 7, message: /ends before a content does/ });
    }
    assert.deepEqual((await accountAnswers(server.connectionString())).tables, []);
  });

  test('that changes after the first write is not reported as if nothing were written', async () => {
    const changed = join(directory, 'changed-later');
    await cp(folder, changed, { recursive: true });
    const wanted = { queues: false, blobs: true };
    const { contents } = openAzuriteFolder(changed, { account: undefined, wanted, now: Date.now() });
    const stored = join(changed, '__blobstorage__');
    for (const name of await readdir(stored)) await truncate(join(stored, name), 1);
    const messages: string[] = [];
    for (const { blobs } of contents?.containers ?? [])
      for await (const blob of blobs())
        if ('content' in blob)
          await collect(blob.content()).catch(({ exit, message }) => messages.push(`${exit}: ${message}`));
    assert(messages.length > 0);
    for (const message of messages) assert.match(message, /^gaveUp: .* It changed while it was loaded\.$/);
  });

  test('gives its tables if the contents of its queues and blobs are gone and not asked for', async () => {
    const tablesOnly = join(directory, 'tables-only');
    await cp(folder, tablesOnly, { recursive: true });
    const contents = ['blob', 'queue'].flatMap(each => [
      `__azurite_db_${each}_extent__.json`,
      `__${each}storage__`,
    ]);
    for (const lost of contents) await rm(join(tablesOnly, lost), { recursive: true });
    const { result, told } = await run({ input: tablesOnly, names: ['orders'] });
    assert.deepEqual([result.exit, result.tables, told.length], ['done', 1, 2], JSON.stringify(told));
    for (const each of [{ queues: true }, { blobs: true }])
      assert.equal(await exitOf(run({ input: tablesOnly, names: ['orders'], ...each })), 7);
  });
});
