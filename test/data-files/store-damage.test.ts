// Files of a store damaged at random: a check never passes a file as whole that lost something or in which a value
// changed, except for the kinds of damage that docs/backup.md lists as undetectable. DAMAGE_SEED and DAMAGE_TRIALS
// choose others and more.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { collectRows, StoreError } from '#store';
import { checkFile, openLmdbStore } from '#store-lmdb';
import { decodeEntity, inspectRow, inspectSpace } from '#tables';
import { chanceOf } from '../patterns/support/seeded.js';
import { ROOT } from '../support/spawned-server.js';

const FIXTURE = join(ROOT, 'test', 'fixtures', 'store-format-1', 'data.mdb.gz');
const TRIALS = Number(process.env.DAMAGE_TRIALS ?? 64);
const SEED = Number(process.env.DAMAGE_SEED ?? Math.floor(Math.random() * 1e9));
const PAGE_BYTES = 8192;
const SECTOR_BYTES = 512;
/** In both meta pages: the transaction's number decides which of the two is used. */
const isTransactionNumber = (at: number): boolean =>
  at < 2 * PAGE_BYTES && at % PAGE_BYTES >= 152 && at % PAGE_BYTES < 160;

type Random = (below: number) => number;

function randomFrom(seed: number): Random {
  const chance = chanceOf(seed);
  return below => Math.floor(chance() * below);
}

const randomPage = (bytes: Buffer, random: Random): number =>
  PAGE_BYTES * (2 + random(bytes.length / PAGE_BYTES - 2));

/** A byte after the meta pages that is neither empty nor of the one long text. */
function randomContent(bytes: Buffer, random: Random): number {
  for (;;) {
    const at = 2 * PAGE_BYTES + random(bytes.length - 2 * PAGE_BYTES);
    if (bytes[at] !== 0 && bytes[at] !== 0x78) return at;
  }
}

/** Each damages a copy and describes the damage. */
const DAMAGES: readonly ((bytes: Buffer, random: Random) => readonly [Buffer, string])[] = [
  (bytes, random) => {
    const at = random(bytes.length);
    if (!isTransactionNumber(at)) bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    return [bytes, `a bit at ${at}`];
  },
  (bytes, random) => {
    const at = randomContent(bytes, random);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    return [bytes, `a bit at ${at}`];
  },
  (bytes, random) => {
    // The bound of a page's entries: some of them are gone.
    const at = randomPage(bytes, random) + 20;
    bytes.writeUInt16LE(Math.max(0, bytes.readUInt16LE(at) - 2 * (1 + random(3))), at);
    return [bytes, `the bound at ${at}`];
  },
  (bytes, random) => {
    // Within the structure of a page.
    const at = randomPage(bytes, random) + random(48);
    bytes[at] = random(256);
    return [bytes, `the byte at ${at}`];
  },
  (bytes, random) => {
    const at = random(2) * PAGE_BYTES + random(168);
    if (!isTransactionNumber(at)) bytes[at] = random(256);
    return [bytes, `the byte at ${at}`];
  },
  (bytes, random) => {
    const at = randomPage(bytes, random) + SECTOR_BYTES * random(PAGE_BYTES / SECTOR_BYTES);
    bytes.fill(0, at, at + SECTOR_BYTES);
    return [bytes, `zeros at ${at}`];
  },
  (bytes, random) => {
    const [from, to] = [randomPage(bytes, random), randomPage(bytes, random)];
    bytes.copy(bytes, to, from, from + PAGE_BYTES);
    return [bytes, `the page at ${from} also at ${to}`];
  },
  (bytes, random) => {
    const length = random(bytes.length);
    return [bytes.subarray(0, length), `cut to ${length}`];
  },
];

/** Everything that a check without findings vouches for: every row, its types, and the values that are stored twice. */
async function contentOf(directory: string): Promise<unknown> {
  const store = await openLmdbStore({ directory, durability: 'none' });
  try {
    const spaces = await Promise.all(
      ['devstoreaccount1', 'other'].map(account => store.listSpaces(account, 'table', '', 100)),
    );
    const unbounded = { rows: 1e6, bytes: 1e9, examined: 1e9, milliseconds: 1e9 };
    const start = { from: { partition: '', key: '' } };
    return await Promise.all(
      spaces.flat().map(async space => {
        const { rows } = await collectRows(store, space, start, unbounded);
        return rows.map(({ value }) =>
          decodeEntity(value).map(({ type, value: found }) => [type, vouched(found)]),
        );
      }),
    );
  } finally {
    await store.close();
  }
}

const vouched = (value: unknown): unknown =>
  typeof value === 'string' || Buffer.isBuffer(value) ? value.length : value;

test(`a damaged store does not pass for a whole one (DAMAGE_SEED=${SEED})`, async t => {
  const directory = await mkdtemp(join(tmpdir(), 'store-damage-'));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, 'data.mdb');
  const sound = gunzipSync(await readFile(FIXTURE));
  await writeFile(path, sound);
  const content = await contentOf(directory);
  const random = randomFrom(SEED);
  let seen = 0;
  for (let trial = 0; trial < TRIALS; trial += 1) {
    const damage = DAMAGES[trial % DAMAGES.length];
    const [bytes, what] = damage?.(Buffer.from(sound), random) ?? [sound, ''];
    await writeFile(path, bytes);
    if (await isWhole(path))
      assert.deepEqual(await contentOf(directory), content, `${what} (DAMAGE_SEED=${SEED})`);
    else seen += 1;
  }
  assert(seen > TRIALS / 10, `Only ${seen} damages were seen.`);
});

async function isWhole(path: string): Promise<boolean> {
  try {
    return (await checkFile(path, { space: inspectSpace, row: inspectRow })).findingCount === 0;
  } catch (error) {
    assert(error instanceof StoreError, String(error));
    return false;
  }
}
