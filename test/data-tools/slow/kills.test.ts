// Dump, load, copy and mirror of rows, and of queues and blobs, in a process of its own, killed at moments of chance and
// resumed, again and again: each ends as it would have without, except that a message which was being put may be there
// twice (messages.test.ts). The queue has so few that a peek shows these too. A failure prints the seed that repeats it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BlobServiceClient } from '@azure/storage-blob';
import { type QueueClient, QueueServiceClient } from '@azure/storage-queue';
import { type RunningServer, serve } from 'shelfmark';
import { until } from '#base/testing/until';
import { formatContent } from '../../../packages/data-tools/index.js';
import { rowOf } from '../../../packages/data-tools/testing/nasty-rows.js';
import { chanceOf } from '../../patterns/support/seeded.js';
import { type SpawnedServer, spawnServer } from '../../support/spawned-server.js';
import { type AccountAnswers, accountAnswers } from '../azurite-import/account-answers.js';
import { dumpIn, dumpTo, linesOf, loadInto, rowsOf, verified } from '../tool-run.js';
import type { Work } from './killed-tool.js';

const SEED = Number(process.env.SHELFMARK_SEED ?? 5);
const KILLS = Number(process.env.SHELFMARK_KILLS ?? 200);
const PROGRAM = fileURLToPath(new URL('killed-tool.js', import.meta.url));

/** Whether it ended before it was killed. */
async function runUntil(work: Work, milliseconds?: number): Promise<boolean> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(work)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.on('data', chunk => {
    text += String(chunk);
  });
  const closed = once(child, 'close');
  const timer = new AbortController();
  if (milliseconds !== undefined)
    setTimeout(milliseconds, undefined, { signal: timer.signal }).then(
      () => child.kill('SIGKILL'),
      () => undefined,
    );
  const [code, signal] = await closed;
  timer.abort();
  assert(code === 0 || signal === 'SIGKILL', `${work.tool} ended with ${code}: ${text}; ${REPEAT}`);
  return code === 0;
}

/**
 * Runs the tool to its end, again and again, until it was killed at least so often. The first run is not, and has the
 * time of one.
 */
async function untilKilled(
  count: number,
  each: (run: number, toEnd: (work: Work) => Promise<void>) => Promise<void>,
): Promise<void> {
  const chance = chanceOf(SEED);
  let [kills, longest] = [0, 0];
  for (let run = 0; kills < count; run++)
    await each(run, async work => {
      const started = performance.now();
      let isDone = run === 0 && (await runUntil(work));
      if (isDone) longest = performance.now() - started;
      for (let times = 0; !isDone; times++) {
        // Some runs are killed so often that they would never end if they began again each time.
        const delay = times > 6 ? undefined : 150 + chance() * (longest - 100);
        isDone = await runUntil(work, delay);
        if (!isDone) kills++;
      }
    });
}

const ROWS = 15_000;
const TOOLS = ['dump', 'load', 'copy', 'mirror'] as const;
const REPEAT = `SHELFMARK_SEED=${SEED} SHELFMARK_LONG=1 node dist/tools/run-tests.js data-tools/slow/kills`;

describe('a tool that is killed', () => {
  let server: SpawnedServer;
  let directory = '';
  let expected: readonly string[] = [];
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'shelfmark-kills-'));
    const ports = ['--table-port', '0', '--queue-port', '0', '--blob-port', '0'];
    server = await spawnServer(['serve', '--data', join(directory, 'data'), ...ports]);
    const rows = Array.from({ length: ROWS }, (_, i) =>
      rowOf(`p${i % 3}`, String(i).padStart(6, '0'), [
        ['n', 'Int64', String(i)],
        ['t', 'String', 'x'.repeat(i % 90)],
      ]),
    );
    const path = join(directory, 'rows.jsonl');
    await writeFile(path, linesOf(rows));
    await loadInto(server.connectionString, path, { tables: ['source'] });
    expected = (await rowsOf(server.connectionString, 'source')).map(formatContent);
    await dumpTo(server.connectionString, join(directory, 'whole'), { tables: ['source'] });
  });
  after(async () => {
    await server.stop('SIGTERM');
    await rm(directory, { recursive: true, force: true });
  });

  const isAsExpected = async (work: Work): Promise<void> => {
    if (work.tool !== 'dump') {
      assert.deepEqual((await rowsOf(server.connectionString, work.to)).map(formatContent), expected, REPEAT);
      return;
    }
    const { result, written } = await verified(work.path);
    assert.equal(result.exit, 'done', `${written}; ${REPEAT}`);
    const { tables } = (await dumpIn(work.path)).manifest;
    const { tables: whole } = (await dumpIn(join(directory, 'whole'))).manifest;
    assert.deepEqual(
      tables.map(({ rows, partitions, checksum }) => [rows, partitions, checksum]),
      whole.map(({ rows, partitions, checksum }) => [rows, partitions, checksum]),
    );
    assert.deepEqual((await readdir(work.path)).sort(), ['SHA256SUMS', 'manifest.json', 'source']);
    const linesIn = async (from: string): Promise<string> => {
      const names = (await readdir(join(from, 'source'))).filter(name => name.startsWith('0')).sort();
      return (await Promise.all(names.map(name => readFile(join(from, 'source', name), 'utf8')))).join('');
    };
    assert.equal(await linesIn(work.path), await linesIn(join(directory, 'whole')), REPEAT);
  };

  const before1 = async (work: Work): Promise<void> => {
    if (work.tool !== 'mirror') return;
    // A target that has other rows, and some that the source lacks.
    const rows = Array.from({ length: 3000 }, (_, i) =>
      rowOf(`p${i % 4}`, String(i * 7).padStart(6, '0'), [['n', 'Int64', '1']]),
    );
    const path = join(directory, 'other.jsonl');
    await writeFile(path, linesOf(rows));
    const journal = join(directory, 'other.journal');
    await loadInto(server.connectionString, path, { tables: [work.to], journal });
  };

  for (const tool of TOOLS)
    test(`${tool} ends as it would have without`, () =>
      untilKilled(KILLS / TOOLS.length, async (run, toEnd) => {
        const name = `${tool}${run}`;
        const work: Work = {
          tool,
          connectionString: server.connectionString,
          table: 'source',
          to: name,
          path: tool === 'dump' ? join(directory, name) : join(directory, 'whole'),
          journal: join(directory, `${name}.journal`),
          resume: true,
        };
        await before1(work);
        await toEnd(work);
        await isAsExpected(work);
        if (tool === 'dump') await rm(work.path, { recursive: true });
      }));
});

/** For all tools together: a fraction of those of rows. */
const CONTENT_KILLS = Math.ceil(KILLS / 15);
const MESSAGES = 20;

describe('a tool that is killed among queues and blobs', () => {
  let source: RunningServer;
  let queue: QueueClient;
  let directory = '';
  let expected: AccountAnswers;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'shelfmark-content-kills-'));
    source = await serve({ data: undefined });
    const blobs = BlobServiceClient.fromConnectionString(source.connectionString());
    for (const name of ['box', 'other']) {
      const box = blobs.getContainerClient(name);
      await box.create({ metadata: { a: name } });
      for (let i = 0; i < 25; i++) {
        const text = `${name} ${i % 20} `.repeat(1 + (i % 7) * 2000);
        await box.getBlockBlobClient(`b${i}`).upload(text, text.length, { metadata: { i: String(i) } });
      }
      const log = box.getAppendBlobClient('log');
      await log.create();
      const piece = Buffer.alloc(3 * 1_048_576, name);
      for (let i = 0; i < 3; i++) await log.appendBlock(piece, piece.length);
      await box.getBlockBlobClient('large').uploadData(Buffer.alloc(9 * 1_048_576, 'x'));
    }
    queue = QueueServiceClient.fromConnectionString(source.connectionString()).getQueueClient('jobs');
    await queue.create();
    for (let i = 0; i < MESSAGES; i++) await queue.sendMessage(`message ${i}`);
    expected = await accountAnswers(source.connectionString());
    const whole = { ...workOf('dump', 'whole'), contentsTo: source.connectionString() };
    assert(await runUntil(whole));
  });
  after(async () => {
    await source.close();
    await rm(directory, { recursive: true, force: true });
  });

  const workOf = (tool: Work['tool'], name: string): Work => ({
    tool,
    connectionString: source.connectionString(),
    table: '',
    to: '',
    path: join(directory, tool === 'dump' ? name : 'whole'),
    journal: join(directory, `${name}.journal`),
    resume: true,
  });

  const filesIn = async (path: string): Promise<readonly string[]> =>
    (await readdir(path, { recursive: true })).filter(name => !name.endsWith('messages.jsonl')).sort();

  const isWhole = async (path: string): Promise<void> => {
    const { result, written } = await verified(path);
    assert.equal(result.exit, 'done', `${written}; ${REPEAT}`);
    assert.deepEqual(await filesIn(path), await filesIn(join(directory, 'whole')), REPEAT);
    const read = async (from: string, name: string): Promise<string> =>
      readFile(join(directory, from, name), 'utf8');
    for (const name of ['blob-containers/box/blobs.jsonl', 'blob-containers/other/blobs.jsonl'])
      assert.equal(await readFile(join(path, name), 'utf8'), await read('whole', name), REPEAT);
    const messages = async (text: Promise<string>): Promise<readonly string[]> =>
      (await text).split('\n').sort();
    const name = 'storage-queues/jobs/messages.jsonl';
    assert.deepEqual(
      await messages(readFile(join(path, name), 'utf8')),
      await messages(read('whole', name)),
      REPEAT,
    );
  };

  /**
   * A message that a slow run held, and whose receipt was lost in the kill, is hidden for a minute: the next run would
   * not see it.
   */
  const untilVisible = (): Promise<boolean> =>
    until('all messages', async () => {
      const { peekedMessageItems } = await queue.peekMessages({ numberOfMessages: 32 });
      return peekedMessageItems.length === MESSAGES;
    });

  for (const tool of TOOLS)
    test(`${tool} ends as it would have without`, () =>
      untilKilled(CONTENT_KILLS / TOOLS.length, async (run, toEnd) => {
        const target = await serve({ data: undefined });
        try {
          const work = { ...workOf(tool, `${tool}${run}`), contentsTo: target.connectionString() };
          await toEnd(work);
          if (tool === 'dump') await isWhole(work.path);
          else {
            const found = await accountAnswers(target.connectionString());
            assert.deepEqual(found.containers, expected.containers, REPEAT);
            const messagesOf = ({ queues }: AccountAnswers) => [...new Set(queues[0]?.messages)].sort();
            if (tool !== 'mirror') assert.deepEqual(messagesOf(found), messagesOf(expected), REPEAT);
          }
          await untilVisible();
        } finally {
          await target.close();
        }
      }));
});
