// Programs and servers that are killed while they write: what was reported done is there, what was not is there wholly or not at all, and nothing is there twice.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { TableServiceClient } from '@azure/data-tables';
import { until } from '#base/testing/until';
import { open, PatternError } from '#patterns';
import { onlyIn } from '../../../support/slow.js';
import { ROOT, type SpawnedServer, spawnServer } from '../../../support/spawned-server.js';
import { anna, Employee } from '../../support/employee.js';
import { describePeers } from '../../support/peers.js';
import { chanceOf, repeatBy, SEED } from '../../support/seeded.js';
import { MANY, TOGETHER } from './killed-writer.js';

const KILLS = Number(process.env.PATTERN_KILLS ?? (process.env.SHELFMARK_LONG === undefined ? 2 : 8));
const PROGRAM = join(ROOT, 'dist', 'test', 'patterns', 'repo', 'write', 'killed-writer.js');
/** Until what a killed program had sent has been done. */
const SETTLING = 300;

/** The numbers that a program said behind a word. */
const said = (lines: readonly string[], word: string): number[] =>
  lines.flatMap(line => (line.startsWith(`${word} `) ? [Number(line.slice(word.length + 1))] : []));

/** What the program says until it is killed, so long after its first write began. */
async function saidUntilKilled(args: readonly string[], milliseconds: number): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  let said = '';
  child.stdout.on('data', chunk => {
    said += String(chunk);
  });
  await Promise.race([once(child.stdout, 'data'), closed]);
  await pause(milliseconds);
  child.kill('SIGKILL');
  await closed;
  return said;
}

const skip = onlyIn('patterns');

describePeers('a killed program', peer => {
  test('leaves what it said it had written, and nothing by halves', { skip }, async () => {
    const table = await peer.newTable();
    const chance = chanceOf(SEED);
    const rows = peer.open().repo(Employee, { table });
    const all: string[] = [];
    let begun = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const args = [peer.connectionString(), table, `${begun}`];
      const stdout = await saidUntilKilled(args, Math.floor(chance() * 900));
      await pause(SETTLING);
      // The server comes to this write behind what the program had sent.
      await rows.upsert({ ...anna, department: 'barrier' });
      const lines = stdout.split('\n').slice(0, -1);
      all.push(...lines);
      begun = Math.max(begun, ...said(lines, 'begin').map(n => n + 1));
      const repeat = repeatBy('write/killed');
      const one = await rows.partition({ department: 'one' }).take(10_000);
      const created = new Set(one.map(({ value }) => value.id));
      for (const n of said(all, 'created')) assert(created.has(n), `create ${n} is lost. ${repeat}`);
      for (const n of created) assert(n < begun || n > 900_000, `${n} was never begun. ${repeat}`);

      const counter = one.find(({ value }) => value.id === 999_999)?.value.views ?? 0n;
      const counted = BigInt(said(all, 'counted').length);
      assert(
        counter >= counted && counter <= counted + BigInt(kill + 1),
        `${counter} of ${counted}. ${repeat}`,
      );
      const last = said(all, 'upserted').at(-1) ?? -1;
      const upserted = Number(one.find(({ value }) => value.id === 999_998)?.value.name ?? last);
      assert(upserted >= last && upserted < begun, `${upserted}, after ${last}. ${repeat}`);

      const batch = await rows.partition({ department: 'batch' }).take(100);
      const names = new Set(batch.map(({ value }) => value.name));
      assert(names.size <= 1 && [0, TOGETHER].includes(batch.length), `torn: ${[...names]}. ${repeat}`);
      assert(Number([...names][0] ?? -1) >= (said(all, 'together').at(-1) ?? -1), repeat);

      const bulk = await rows.fanOut([0, 1, 2].map(n => ({ department: `bulk${n}` }))).take(100_000);
      const written = new Set(bulk.map(({ value }) => value.id));
      assert.equal(written.size, bulk.length, repeat);
      for (const id of said(all, 'row')) assert(written.has(id), `bulk row ${id} is lost. ${repeat}`);
      for (const id of written) assert(Math.floor(id / MANY) < begun, `${id} was never begun. ${repeat}`);
    }
    assert(begun > 0, 'Nothing was written.');
  });
});

/** A server that can be killed and started again where it was. Its other services have free ports too: a port of tables that is chosen leaves them their usual ones. */
async function startAt(data: string, port = 0): Promise<SpawnedServer> {
  return spawnServer([
    'serve',
    '--data',
    data,
    '--table-port',
    `${port}`,
    '--queue-port',
    '0',
    '--blob-port',
    '0',
  ]);
}

test('a server that is killed while many write loses nothing that it answered', { skip }, async () => {
  const data = await mkdtemp(join(tmpdir(), 'shelfmark-killed-'));
  let server = await startAt(data);
  const { connectionString, port } = server;
  const chance = chanceOf(SEED);
  const client = () =>
    TableServiceClient.fromConnectionString(connectionString, {
      allowInsecureConnection: true,
      retryOptions: { maxRetries: 3, retryDelayInMs: 50, maxRetryDelayInMs: 400 },
    });
  let isOver = false;
  try {
    await client().createTable('Staff');
    const rows = open({ tables: client() }).repo(Employee);
    const applied = new Map<number, number>();
    const unknown = new Map<number, number>();
    const note = (counts: Map<number, number>, id: number): void =>
      void counts.set(id, (counts.get(id) ?? 0) + 1);
    const writers = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const id = Math.floor(chance() * 4);
        try {
          await rows.mutate(
            { department: 'Sales', id },
            row => ({ ...anna, id, views: (row?.views ?? 0n) + 1n }),
            { attempts: 100 },
          );
          note(applied, id);
        } catch (thrown) {
          if (!PatternError.is(thrown)) throw thrown;
          // A write without an answer was not applied, as far as a read shows: docs/patterns/retries.md.
          if (thrown.code === 'OutcomeUnknown') note(unknown, id);
          else await pause(20);
        }
      }
    });
    for (let kill = 0; kill < KILLS; kill++) {
      await pause(200 + Math.floor(chance() * 300));
      await server.stop('SIGKILL');
      server = await startAt(data, port);
    }
    await until('twenty writes', () => [...applied.values()].reduce((a, b) => a + b, 0) > 20);
    isOver = true;
    await Promise.all(writers);
    for (const id of [0, 1, 2, 3]) {
      const views = Number((await rows.get({ department: 'Sales', id }))?.value.views ?? 0n);
      const least = applied.get(id) ?? 0;
      const most = least + (unknown.get(id) ?? 0);
      const repeat = repeatBy('write/killed');
      assert(views >= least && views <= most, `${id}: ${views}, not from ${least} to ${most}. ${repeat}`);
    }
  } finally {
    isOver = true;
    await server.stop('SIGKILL');
    await rm(data, { recursive: true });
  }
});
