// Queues and blobs through dump, verify, load and copy: the output equals the input, on every peer.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BlobServiceClient, ContainerSASPermissions } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';
import { type RunningServer, serve } from 'shelfmark';
import {
  type CopyOptions,
  type DumpOptions,
  dump as dumpDirectory,
  type LoadOptions,
  load as loadDump,
  parseAddress,
  type Reporter,
} from '../../../packages/data-tools/index.js';
import { describePeers } from '../../patterns/support/peers.js';
import { collect } from '../../support/clients.js';
import { type AccountAnswers, accountAnswers } from '../azurite-import/account-answers.js';
import { fillBlobs, fillQueues } from '../azurite-import/fill-account.js';
import { startFaultyProxy } from '../faulty-proxy.js';
import { copyTo, dumpTo, exitOf, loadInto, runTool, verified } from '../tool-run.js';

/** Fails at a call with this: a kill, whose journal stays. */
const failing = (reporter: Reporter, called: 'tell' | 'range', what: string): Reporter =>
  new Proxy(reporter, {
    get: (whole, name) => {
      if (name === called)
        return (event: string) => {
          if (event === what) throw new Error('killed');
        };
      const member = Reflect.get(whole, name);
      return typeof member === 'function' ? member.bind(whole) : member;
    },
  });

describePeers('queues and blobs', peer => {
  let directory = '';
  let there: AccountAnswers;
  let target: RunningServer;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'shelfmark-contents-'));
    await fillQueues(peer.connectionString());
    await fillBlobs(peer.connectionString());
    there = await accountAnswers(peer.connectionString());
    target = await serve({ data: undefined });
  });
  after(async () => {
    await target.close();
    await rm(directory, { recursive: true, force: true });
  });

  const both = { queues: true, blobs: true };
  const here = (): string => peer.connectionString();
  const dump = (out: string, more: Partial<DumpOptions> = {}) => dumpTo(here(), out, { ...both, ...more });
  const load = (input: string, more: Partial<LoadOptions> = {}) =>
    loadInto(target.connectionString(), input, { ...both, ...more });
  const whole = () => join(directory, 'whole');

  test('are dumped with their messages, which are returned', async () => {
    const { result, told } = await dump(whole(), { takeMessages: true });
    assert.deepEqual(result.more, { containers: 3, blobs: 18, skipped: 2, queues: 3, messages: 6 });
    const notes = told.map(({ queue, blob }) => queue ?? blob);
    assert.deepEqual(notes.sort(), ['jobs', 'jobs', 'pages', 'small.txt', 'taken', 'taken']);
    const now = await accountAnswers(peer.connectionString());
    const sorted = ({ queues }: AccountAnswers) =>
      queues.map(queue => ({ ...queue, messages: [...queue.messages].sort() }));
    assert.deepEqual(sorted(now), sorted(there));
    execFileSync('sha256sum', ['--quiet', '-c', 'SHA256SUMS'], { cwd: whole() });
    const { result: found, written } = await verified(whole());
    assert.equal(found.exit, 'done', written);
    assert.equal(await exitOf(dump(whole(), { takeMessages: true, resume: true })), 0);
    assert.equal(await exitOf(dump(whole(), { resume: true, blobs: false })), 2);
  });

  test('are loaded as they were, once', async () => {
    const left = await load(whole(), { queues: false, blobs: false });
    assert.deepEqual(
      left.told.map(({ event }) => event),
      ['note', 'note'],
    );
    const { result } = await load(whole());
    assert.deepEqual(result, {
      tables: 0,
      exit: 'done',
      more: { conflicts: 0, refused: 0, containers: 3, blobs: 18, queues: 3, messages: 6 },
    });
    const found = await accountAnswers(target.connectionString());
    assert.deepEqual(found.containers, there.containers);
    // Hidden messages stayed at the source.
    assert.deepEqual(
      found.queues.map(({ name, metadata, policies, messages, count }) => [
        { name, metadata, policies, messages: [...messages].sort() },
        count,
      ]),
      there.queues.map(({ name, metadata, policies, messages }) => [
        { name, metadata, policies, messages: [...messages].sort() },
        messages.length,
      ]),
    );
    const again = await load(whole());
    assert.deepEqual(
      again.told.map(({ event, queue }) => [event, queue]),
      [
        ['conflict', 'jobs'],
        ['conflict', 'taken'],
      ],
    );
    assert.deepEqual((await load(whole(), { mode: 'skip' })).told, []);
    assert.deepEqual(await accountAnswers(target.connectionString()), found);
  });

  test('keep other metadata at the target, which is a conflict, unless they are replaced', async () => {
    const box = BlobServiceClient.fromConnectionString(target.connectionString()).getContainerClient('box');
    const jobs = QueueServiceClient.fromConnectionString(target.connectionString()).getQueueClient('jobs');
    const metadata = () => Promise.all([box, jobs].map(async each => (await each.getProperties()).metadata));
    const before = await metadata();
    const other = { other: 'x' };
    await box.setMetadata(other);
    await jobs.setMetadata(other);
    const { told } = await load(whole());
    assert.deepEqual(
      told
        .filter(({ reason }) => reason === 'it has other metadata')
        .map(({ container, queue }) => container ?? queue),
      ['box', 'jobs'],
    );
    assert.deepEqual(await metadata(), [other, other]);
    assert.equal((await load(whole(), { mode: 'upsert' })).result.exit, 'done');
    assert.deepEqual(await metadata(), before);
  });

  test('are left out by name where messages are not asked for', async () => {
    const out = join(directory, 'bare');
    const { told, result } = await dump(out, { blobs: false });
    assert.deepEqual(result.more, { queues: 3, messages: 0 });
    assert.deepEqual(
      told.map(({ queue, message }) => [queue, /\d+ messages/.exec(String(message))?.[0]]),
      [
        ['jobs', '6 messages'],
        ['taken', '2 messages'],
      ],
    );
    const manifest = JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8'));
    assert.equal(manifest.containers, undefined);
    assert.deepEqual(await readdir(out), ['SHA256SUMS', 'manifest.json']);
    assert.equal(await exitOf(load(out)), 2);
    assert.equal(await exitOf(dump(out, { blobs: false, resume: true })), 0);
    assert.equal(await exitOf(dump(out, { blobs: false, resume: true, takeMessages: true })), 2);
  });

  test('are copied, and a mirror deletes what the source lacks', async () => {
    const other = await serve({ data: undefined });
    const journal = join(directory, 'copy.journal');
    const copy = (more: Partial<CopyOptions>) =>
      copyTo(here(), other.connectionString(), { ...both, journal, ...more });
    try {
      const dry = await copy({ dryRun: true });
      assert.match(dry.written, /^\{"container":"\$root","blobs":1\}\n\{"container":"box","blobs":17\}\n/);
      assert.deepEqual((await accountAnswers(other.connectionString())).containers, []);
      const { result } = await copy({ takeMessages: true });
      assert.deepEqual(result.more, {
        conflicts: 0,
        refused: 0,
        containers: 3,
        blobs: 18,
        queues: 3,
        messages: 6,
      });
      const found = await accountAnswers(other.connectionString());
      assert.deepEqual(found.containers, there.containers);
      const box = BlobServiceClient.fromConnectionString(other.connectionString()).getContainerClient('box');
      await box.getBlockBlobClient('another').upload('x', 1);
      await box.getBlockBlobClient('a').upload('x', 1);
      assert.equal((await copy({ queues: false })).result.exit, 'conflict');
      const mirrored = await copy({ queues: false, mirror: true });
      assert.deepEqual(mirrored.result.more, {
        conflicts: 0,
        refused: 0,
        deleted: 0,
        containers: 3,
        blobs: 18,
        deletedBlobs: 1,
      });
      assert.deepEqual((await accountAnswers(other.connectionString())).containers, there.containers);
      assert.equal(await exitOf(copy({ target: parseAddress(peer.connectionString()) })), 2);
      assert.equal(await exitOf(copy({ mirror: true, takeMessages: true })), 2);
    } finally {
      await other.close();
    }
  });

  test('larger than a request go in blocks, and a half append blob is continued', async () => {
    const large = await serve({ data: undefined });
    const other = await serve({ data: undefined });
    try {
      const [from, to] = [large, other].map(server =>
        BlobServiceClient.fromConnectionString(server.connectionString()).getContainerClient('box'),
      );
      assert(from && to);
      await from.create();
      const bytes = Buffer.alloc(9 * 1_048_576 + 1, 'some content, ');
      await from.getBlockBlobClient('block').uploadData(bytes);
      const edge = bytes.subarray(0, 4 * 1_048_576);
      for (const [name, length] of [
        ['below', edge.length - 1],
        ['at', edge.length],
        ['above', edge.length + 1],
      ] as const)
        await from.getBlockBlobClient(name).upload(bytes.subarray(0, length), length);
      await from.getAppendBlobClient('log').create();
      for (let at = 0; at < bytes.length; at += edge.length) {
        const piece = bytes.subarray(at, at + edge.length);
        await from.getAppendBlobClient('log').appendBlock(piece, piece.length);
      }
      const out = join(directory, 'large');
      await dumpTo(large.connectionString(), out, { blobs: true });
      // A killed run left the log with its first bytes, and a journal.
      await to.create();
      await to.getAppendBlobClient('log').create();
      await to.getAppendBlobClient('log').appendBlock(bytes.subarray(0, 1000), 1000);
      const target = parseAddress(other.connectionString());
      const without = await load(out, { target, queues: false });
      assert.deepEqual(
        without.told.map(({ event, blob }) => [event, blob]),
        [['conflict', 'log']],
      );
      const journal = join(directory, 'killed.journal');
      await assert.rejects(
        runTool(context =>
          loadDump(
            { target, input: out, names: [], blobs: true, journal },
            { ...context, reporter: failing(context.reporter, 'tell', 'conflict') },
            process.stdin,
          ),
        ),
        /killed/,
      );
      const { told } = await load(out, { target, queues: false, journal, resume: true });
      assert.deepEqual(told, []);
      const [here, there] = [large, other].map(server => accountAnswers(server.connectionString()));
      assert.deepEqual((await there)?.containers, (await here)?.containers);
    } finally {
      await large.close();
      await other.close();
    }
  });

  test('arrive whole through transient faults, and are never reported as conflicts', async () => {
    const other = await serve({ data: undefined });
    const given = other.connectionString();
    const faults = ['500', '503', '408', 'cut', 'lost', 'half'] as const;
    const proxy = await startFaultyProxy(given, { seed: 3, share: 0.3, faults, service: 'Blob' });
    try {
      const target = parseAddress(proxy.connectionString);
      const { result, told } = await load(whole(), {
        target,
        queues: false,
        journal: join(directory, 'faulty.journal'),
      });
      assert.deepEqual(
        told.filter(({ event }) => event !== 'note'),
        [],
      );
      assert.equal(result.exit, 'done');
      // The proxy writes names of headers in lower case.
      const form = ({ containers }: AccountAnswers): string => JSON.stringify(containers).toLowerCase();
      assert.equal(form(await accountAnswers(given)), form(there));
      const out = join(directory, 'faulty');
      await dump(out, { source: target, queues: false });
      const [index, expected] = await Promise.all(
        [out, whole()].map(path => readFile(join(path, 'blob-containers', 'box', 'blobs.jsonl'), 'utf8')),
      );
      assert.equal(index?.toLowerCase(), expected?.toLowerCase());
    } finally {
      await proxy.close();
      await other.close();
    }
  });

  test('go into a container as a dump, and from there, without a signature in anything', async () => {
    const store = await serve({ data: undefined });
    try {
      const box = BlobServiceClient.fromConnectionString(store.connectionString()).getContainerClient(
        'dumps',
      );
      await box.create();
      const sas = await box.generateSasUrl({
        permissions: ContainerSASPermissions.parse('racwdl'),
        expiresOn: new Date(Date.now() + 3_600_000),
      });
      const signature = new URL(sas).searchParams.get('sig') ?? '';
      const place = sas.replace('?', '/a%20folder/today?');
      const file = join(directory, 'place');
      await writeFile(file, `${place}\n`);
      const dumped = await dump(place, { takeMessages: true });
      assert.deepEqual(dumped.result.more, { containers: 3, blobs: 18, skipped: 2, queues: 3, messages: 6 });
      const names = (await collect(box.listBlobsFlat())).map(({ name }) => name);
      assert(names.every(name => name.startsWith('a folder/today/')));
      const sums = await box.getBlobClient('a folder/today/SHA256SUMS').downloadToBuffer();
      assert.equal(sums.toString().split('\n').length, names.length);
      const checked = await verified(`@${file}`);
      assert.equal(checked.result.exit, 'done', checked.written);
      const loaded = await load(place, { mode: 'skip', journal: join(directory, 'container.journal') });
      assert.equal(loaded.result.exit, 'done');
      assert.equal(await exitOf(dump(place)), 5);
      assert.equal(await exitOf(dump(place, { takeMessages: true, resume: true })), 0);
      assert.equal(await exitOf(dump(place, { resume: true, blobs: false })), 2);
      // Without SHA256SUMS it is unfinished, and is resumed.
      await box.deleteBlob('a folder/today/SHA256SUMS');
      await box.getBlockBlobClient('a folder/today/stray').upload('x', 1);
      const stopped = await verified(place);
      assert.match(stopped.written, /"kind":"unfinished"/);
      assert.equal(await exitOf(load(place)), 7);
      assert.equal(await exitOf(dump(place, { takeMessages: true, resume: true })), 0);
      const again = await verified(place);
      assert.equal(again.result.exit, 'done', again.written);
      for (const run of [dumped, checked, loaded, stopped, again])
        for (const text of [signature, encodeURIComponent(signature)])
          assert(!JSON.stringify(run).includes(text));
      const manifest = await box.getBlobClient('a folder/today/manifest.json').downloadToBuffer();
      assert(!manifest.includes(signature));
      assert.equal(await exitOf(dump(sas.replace(/\?.*/, ''))), 2);
    } finally {
      await store.close();
    }
  });

  test('that are gone when a killed dump goes on are left out', async () => {
    const server = await serve({ data: undefined });
    try {
      const connection = server.connectionString();
      const box = BlobServiceClient.fromConnectionString(connection).getContainerClient('abc');
      const jobs = QueueServiceClient.fromConnectionString(connection).getQueueClient('jobs');
      await Promise.all([box.create(), jobs.create()]);
      await box.getBlockBlobClient('a').upload('content', 7);
      const out = join(directory, 'gone');
      const options = { source: parseAddress(connection), choice: { all: false, names: [] }, out, ...both };
      const killed = runTool(context =>
        dumpDirectory(options, { ...context, reporter: failing(context.reporter, 'range', 'done') }),
      );
      await assert.rejects(killed, /killed/);
      assert.deepEqual(await readdir(join(out, 'blob-containers')), ['abc']);
      await box.delete();
      await dumpTo(connection, out, { ...both, resume: true });
      const { result } = await verified(out);
      assert.equal(result.exit, 'done');
    } finally {
      await server.close();
    }
  });

  test('go only into a directory, and messages only with queues', async () => {
    assert.equal(await exitOf(dump(join(directory, 'one.jsonl'))), 2);
    assert.equal(await exitOf(dump(join(directory, 'none'), { queues: false, takeMessages: true })), 2);
  });
});
