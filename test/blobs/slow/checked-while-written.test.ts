// `shelfmark check`, `backup` and `restore` find nothing wrong on a server whose blobs of all kinds are being written
// to; after a byte of a content has changed they report where, and end with 1.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob';
import { until } from '#base/testing/until';
import { runToEnd, type SpawnedServer, spawnServer } from '../../support/spawned-server.js';

const CHECKS = 3;
/** A backup syncs every content: this keeps their number below thousands. */
const PAUSE_MS = 30;
const BYTES = 40_960;
const LARGE = 700_000;

const someBytes = (length: number, round: number): Buffer => Buffer.alloc(length, `round ${round} `);

/** Until it is stopped: appends, pages, uncommitted blocks, blobs that replace each other, snapshots and copies. */
class Writers {
  rounds = 0;
  #isOver = false;
  readonly #writing: Promise<unknown>;

  constructor(container: ContainerClient) {
    const works = [appending, writingPages, staging, replacing];
    this.#writing = Promise.all(works.map(work => this.#run(container, work)));
    this.#writing.catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#writing;
  }

  async #run(container: ContainerClient, work: Work): Promise<void> {
    const step = await work(container);
    for (let round = 0; !this.#isOver; round += 1) {
      await step(round);
      this.rounds += 1;
      await pause(PAUSE_MS);
    }
  }
}

type Work = (container: ContainerClient) => Promise<(round: number) => Promise<unknown>>;

const appending: Work = async container => {
  const blob = container.getAppendBlobClient('log');
  await blob.create();
  return round => blob.appendBlock(someBytes(BYTES, round), BYTES);
};

const writingPages: Work = async container => {
  const blob = container.getPageBlobClient('disk');
  await blob.create(10 * BYTES);
  return round => blob.uploadPages(someBytes(BYTES, round), BYTES * (round % 10), BYTES);
};

const staging: Work = async container => {
  const blob = container.getBlockBlobClient('staged');
  const idOf = (round: number): string => Buffer.from(String(round % 40).padStart(4, '0')).toString('base64');
  return async round => {
    await blob.stageBlock(idOf(round), someBytes(BYTES, round), BYTES);
    // More than fit into a head: the list is a content of its own.
    const ids = Array.from({ length: 40 }, (_, at) => idOf(at));
    if (round % 40 === 39) await blob.commitBlockList(ids);
  };
};

const replacing: Work = async container => {
  const blob = container.getBlockBlobClient('replaced');
  const copy = container.getBlockBlobClient('copy');
  return async round => {
    await blob.upload(someBytes(LARGE, round), LARGE);
    if (round % 4 === 0) await blob.createSnapshot();
    if (round % 4 === 1) await copy.syncCopyFromURL(blob.url);
  };
};

async function begin(t: TestContext): Promise<{ directory: string; data: string; server: SpawnedServer }> {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-checked-'));
  const data = join(directory, 'data');
  const server = await spawnServer(['serve', '--data', data, '--table-port', '0', '--durability', 'none']);
  t.after(async () => {
    await server.stop('SIGKILL');
    rmSync(directory, { recursive: true });
  });
  return { directory, data, server };
}

test('nothing is found while blobs are written, and a changed byte is', async t => {
  const { directory, data, server } = await begin(t);
  const service = BlobServiceClient.fromConnectionString(server.connectionString, {
    retryOptions: { maxTries: 1 },
  });
  const container = service.getContainerClient('photos');
  await container.create({ access: 'blob' });
  const writers = new Writers(container);
  for (let round = 0; round < CHECKS; round += 1) {
    const before = writers.rounds;
    const { code, stdout } = await runToEnd(['check', data]);
    assert.deepEqual([code, stdout.match(/^fault.*/gm)], [0, null], stdout);
    const [backup, restored] = [join(directory, `backup${round}`), join(directory, `restored${round}`)];
    assert.deepEqual((await runToEnd(['backup', backup, '--data', data])).code, 0);
    assert.deepEqual((await runToEnd(['restore', backup, '--data', restored])).code, 0);
    await until('the writers go on', () => writers.rounds > before);
  }
  await writers.stop();
  await server.stop('SIGTERM');
  const { code, stdout } = await runToEnd(['check', data]);
  assert.deepEqual([code, /contents beside the rows/.test(stdout)], [0, true], stdout);
  await damageEach(data, join(directory, 'never'));
});

/** A few of the contents, one at a time. */
async function damageEach(data: string, to: string): Promise<void> {
  const contents = join(
    data,
    'contents',
    readdirSync(join(data, 'contents')).find(name => /^\d+$/.test(name)) ?? '',
  );
  const ids = readdirSync(contents);
  for (let at = 0; at < ids.length; at += Math.ceil(ids.length / 4)) {
    const path = join(contents, ids[at] ?? '');
    const whole = readFileSync(path);
    const flipped = Buffer.from(whole);
    flipped[1000] = (flipped[1000] ?? 0) ^ 1;
    writeFileSync(path, flipped);
    const said = `devstoreaccount1/photos: the row \\(".+", ".+"\\): the content ${ids[at]} is damaged in its bytes 0 to \\d+, which are .+ of the `;
    const checked = await runToEnd(['check', data]);
    assert.equal(checked.code, 1);
    assert.match(checked.stdout, new RegExp(`fault: ${said}`));
    const copied = await runToEnd(['backup', to, '--data', data]);
    assert.equal(copied.code, 1);
    assert.match(
      copied.stderr,
      new RegExp(`is damaged and was not copied: \\d+ faults?, the first: ${said}`),
    );
    assert(!existsSync(to));
    writeFileSync(path, whole);
  }
}
