// A dump of tables and blobs that are being written to: constant rows are in it exactly once, others at most once and
// in a state that they had; blobs are whole.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BlobServiceClient } from '@azure/storage-blob';
import { numberOf, type Row } from '../../../packages/data-tools/index.js';
import { rowOf } from '../../../packages/data-tools/testing/nasty-rows.js';
import { describePeers } from '../../patterns/support/peers.js';
import { chanceOf } from '../../patterns/support/seeded.js';
import { dumpIn, dumpTo, linesOf, loadInto } from '../tool-run.js';
import { dumpedBlobs } from './dumped-blobs.js';

const SEED = Number(process.env.SHELFMARK_SEED ?? 11);
const COUNT = 12_000;
const WRITES = 3000;
const BLOBS = 40;
/** Per blob; fewer than the limit of reads started again. */
const VERSIONS = 8;
const MIB = 1_048_576;

describePeers('a dump under writers', peer => {
  let directory = '';
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'shelfmark-writers-'));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  test('has constant rows once, and changing ones in a state that they had', async () => {
    const chance = chanceOf(SEED);
    const keyOf = (i: number): [string, string] => [`p${i % 5}`, String(i).padStart(6, '0')];
    const rows = Array.from({ length: COUNT }, (_, i) =>
      rowOf(...keyOf(i), [
        ['still', 'Boolean', String(i % 2 === 0)],
        ['n', 'Int32', '0'],
      ]),
    );
    const path = join(directory, 'rows.jsonl');
    await writeFile(path, linesOf(rows));
    await loadInto(peer.connectionString(), path, { tables: ['busy'] });
    const client = peer.table('busy');
    const most = new Map<string, number>();
    let isDone = false;
    const writer = async (place: number): Promise<void> => {
      for (let write = 0; write < WRITES && !isDone; write++) {
        const i = 2 * Math.floor((chance() * COUNT) / 2) + 1;
        if (Math.floor(i / 2) % 2 !== place) continue;
        const [partitionKey, rowKey] = keyOf(i);
        const n = write + 1;
        most.set(rowKey, n);
        if (chance() < 0.2) await client.deleteEntity(partitionKey, rowKey).catch(() => undefined);
        else await client.upsertEntity({ partitionKey, rowKey, still: false, n }, 'Replace');
      }
    };
    const writers = [writer(0), writer(1)];
    const out = join(directory, 'busy');
    await dumpTo(peer.connectionString(), out, { tables: ['busy'] });
    isDone = true;
    await Promise.all(writers);
    const seen = new Map<string, Row>();
    for await (const page of (await dumpIn(out)).pages('busy'))
      for (const row of page) {
        assert(!seen.has(row.rowKey), `${row.rowKey} is there twice: SHELFMARK_SEED=${SEED}`);
        seen.set(row.rowKey, row);
      }
    for (let i = 0; i < COUNT; i += 2)
      assert(seen.has(keyOf(i)[1]), `${i} is missing: SHELFMARK_SEED=${SEED}`);
    for (const [rowKey, row] of seen) {
      const n = row.properties.find(({ name }) => name === 'n');
      assert(
        n !== undefined && numberOf(n) <= (most.get(rowKey) ?? 0),
        `${rowKey} is in a state that it never had`,
      );
    }
    assert(most.size > 0);
  });

  /** Contains its blob and its version throughout; some are read in two ranges. */
  const contentOf = (i: number, version: number): Buffer =>
    Buffer.alloc((i % 20 === 1 ? 5 * MIB : 2000 * (i + 1)) + 100 * version, `${i}:${version};`);
  const lineOf = (n: number): string => `line ${n}\n`;

  test('has each blob whole, in a state that it had', async () => {
    const chance = chanceOf(SEED);
    const blobs = BlobServiceClient.fromConnectionString(peer.connectionString());
    const box = blobs.getContainerClient('busybox');
    await box.create();
    for (let i = 0; i < BLOBS; i++) await box.getBlockBlobClient(`b${i}`).uploadData(contentOf(i, 0));
    const log = box.getAppendBlobClient('log');
    await log.create();
    await log.appendBlock(lineOf(0), lineOf(0).length);

    // The even ones are constant.
    const versions = new Map<number, number>();
    const replace = async (): Promise<void> => {
      const i = 2 * Math.floor((chance() * BLOBS) / 2) + 1;
      const version = (versions.get(i) ?? 0) + 1;
      if (version > VERSIONS) return;
      versions.set(i, version);
      await box.getBlockBlobClient(`b${i}`).uploadData(contentOf(i, version));
    };
    await replace();
    let isDone = false;
    const writers = [
      (async () => {
        while (!isDone && [...versions.values()].reduce((sum, n) => sum + n, 0) < (VERSIONS * BLOBS) / 3)
          await replace();
      })(),
      (async () => {
        for (let n = 1; !isDone && n < 500; n++) await log.appendBlock(lineOf(n), lineOf(n).length);
      })(),
    ];
    const out = join(directory, 'blobs');
    await dumpTo(peer.connectionString(), out, { blobs: true });
    isDone = true;
    await Promise.all(writers);

    const found = await dumpedBlobs(out, 'busybox');
    assert.equal(found.size, BLOBS + 1);
    for (let i = 0; i < BLOBS; i++) {
      const content = found.get(`b${i}`) ?? assert.fail(`b${i} is missing: SHELFMARK_SEED=${SEED}`);
      const version = Number(/^\d+:(\d+);/.exec(content.subarray(0, 20).toString())?.[1]);
      assert(version <= (versions.get(i) ?? 0), `b${i} has version ${version}: SHELFMARK_SEED=${SEED}`);
      assert(content.equals(contentOf(i, version)), `b${i} is not whole: SHELFMARK_SEED=${SEED}`);
    }
    const lines = found.get('log')?.toString() ?? '';
    const count = lines.split('\n').length - 1;
    assert.equal(
      lines,
      Array.from({ length: count }, (_, n) => lineOf(n)).join(''),
      `SHELFMARK_SEED=${SEED}`,
    );
    assert((await dumpIn(out)).manifest.containers?.[0]?.blobs === BLOBS + 1);
  });
});
