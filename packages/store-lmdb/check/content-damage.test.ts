// A check and a backup find each kind of damage to a content's file, and report where it is.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Engine, NamedContent, Space } from '#store';
import { trailerBytes, UNIT_BYTES } from '../content/content-sums.js';
import { openLmdbStore } from '../lmdb-store.js';
import { checkStore, copyStore } from '../testing/copied-store.js';
import { newDirectory, openSpace, put } from '../testing/fixture.js';
import { encodeNames } from '../testing/named-contents.js';

const LENGTHS = [1, UNIT_BYTES - 1, UNIT_BYTES, 2 * UNIT_BYTES + 77];
/** More units than a content's last write carries checksums for. */
const LONG = 130 * 1024 * 1024;

async function putPieces(store: Engine, space: Space, length: number, fill: number): Promise<NamedContent> {
  const writer = await store.content.create(space);
  for (let left = length; left > 0; left -= 65_536)
    await writer.write(Buffer.alloc(Math.min(left, 65_536), `${fill} ${left}`));
  await writer.finish();
  writer.release();
  return { id: writer.id, bytes: length };
}

interface Stored {
  readonly directory: string;
  readonly contents: readonly NamedContent[];
  readonly pathOf: (content: NamedContent) => string;
}

async function store(t: TestContext, lengths: readonly number[]): Promise<Stored> {
  const directory = newDirectory(t);
  const opened = await openLmdbStore({ directory, durability: 'none' });
  const address = { account: 'a', service: 't', name: 'n' };
  const space = (await opened.createSpace(address, Buffer.alloc(0))) ?? assert.fail();
  const contents: NamedContent[] = [];
  for (const [at, length] of lengths.entries()) {
    const content = await putPieces(opened, space, length, at);
    contents.push(content);
    await put(opened, space, String(at), encodeNames([content]));
  }
  await opened.close();
  const pathOf = ({ id }: NamedContent): string => join(directory, 'contents', String(space.id), id);
  return { directory, contents, pathOf };
}

const findingsIn = async (directory: string): Promise<readonly string[]> =>
  (await checkStore(directory)).findings;

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
  writeFileSync(path, bytes);
}

test('a flipped bit in any part of a content is found, and nothing else', async t => {
  const { directory, contents, pathOf } = await store(t, LENGTHS);
  assert.deepEqual(await findingsIn(directory), []);
  for (const [key, content] of contents.entries()) {
    const { id, bytes } = content;
    const path = pathOf(content);
    const row = `a/n: the row ("p", "${key}"): the content ${id}`;
    for (const at of new Set([0, bytes >> 1, bytes - 1])) {
      flip(path, at);
      const from = at - (at % UNIT_BYTES);
      const until = Math.min(bytes, from + UNIT_BYTES);
      assert.deepEqual(
        await findingsIn(directory),
        [`${row} is damaged in its bytes ${from} to ${until - 1}.`],
        `${at} of ${bytes}`,
      );
      flip(path, at);
    }
    const trailer = trailerBytes(bytes);
    // In the sums, the mark, the unit, the id, the length, the checksum of everything.
    for (const back of [1, 9, 17, 40, 61, 64, trailer]) {
      flip(path, bytes + trailer - back);
      const [finding, ...others] = await findingsIn(directory);
      assert(finding?.startsWith(`${row} does not end with its checksums`), `${finding} for ${back}`);
      assert.deepEqual(others, []);
      flip(path, bytes + trailer - back);
    }
  }
  assert.deepEqual(await findingsIn(directory), []);
});

test("a content that was cut off, grew, or has another one's bytes is found", async t => {
  const { directory, contents, pathOf } = await store(t, [20_000, 20_000]);
  const [one, other] = contents;
  assert(one && other);
  const path = pathOf(one);
  const whole = readFileSync(path);
  const told =
    /^a\/n: the row \("p", "0"\): the content \w+ (does not end with its checksums|has \d+ bytes of 20000)/;
  for (const left of [0, 1, 19_999, 20_000, 20_001, whole.length - 1]) {
    truncateSync(path, left);
    const findings = await findingsIn(directory);
    assert(findings.length === 1 && told.test(findings[0] ?? ''), `${left}: ${findings}`);
    writeFileSync(path, whole);
  }
  for (const more of [Buffer.of(0), Buffer.alloc(4096), whole, whole.subarray(20_000)]) {
    appendFileSync(path, more);
    assert.match((await findingsIn(directory)).join(), told);
    writeFileSync(path, whole);
  }
  const swap = (): void => {
    renameSync(path, `${path}.swapped`);
    renameSync(pathOf(other), path);
    renameSync(`${path}.swapped`, pathOf(other));
  };
  swap();
  assert.deepEqual(await findingsIn(directory), [
    `a/n: the row ("p", "0"): the content ${one.id} has the file of the content ${other.id}.`,
    `a/n: the row ("p", "1"): the content ${other.id} has the file of the content ${one.id}.`,
  ]);
  swap();
  assert.deepEqual(await findingsIn(directory), []);
});

test('each row that names a damaged content is reported; for ranges, the first one and their number', async t => {
  const { directory, contents, pathOf } = await store(t, [6 * UNIT_BYTES]);
  const [content] = contents;
  assert(content);
  const again = await openLmdbStore({ directory, durability: 'none' });
  const space = await openSpace(again);
  await put(again, space, 'copy', encodeNames([{ ...content, bytes: 10 }]));
  await again.close();
  for (const unit of [1, 2, 4]) flip(pathOf(content), unit * UNIT_BYTES + 5);
  const text = `the content ${content.id} is damaged in its bytes ${UNIT_BYTES} to ${3 * UNIT_BYTES - 1}; and in 1 more.`;
  assert.deepEqual(await findingsIn(directory), [
    `a/n: the row ("p", "0"): ${text}`,
    `a/n: the row ("p", "copy"): ${text}`,
  ]);
});

test('a damaged store is not backed up, and a damaged backup is not restored', async t => {
  const { directory, contents, pathOf } = await store(t, [500_000, 20_000]);
  const [content] = contents;
  assert(content);
  const [backup, restored] = [join(directory, 'backup'), join(directory, 'restored')];
  flip(pathOf(content), 499_999);
  const damaged = [
    `a/n: the row ("p", "0"): the content ${content.id} is damaged in its bytes ${UNIT_BYTES} to 499999.`,
  ];
  assert.deepEqual((await copyStore('backup', directory, backup)).findings, damaged);
  assert(!existsSync(backup));
  flip(pathOf(content), 499_999);
  assert.deepEqual((await copyStore('backup', directory, backup)).findings, []);
  assert.deepEqual(await findingsIn(backup), []);
  const copied = join(backup, 'contents', '1', content.id);
  assert.deepEqual(readFileSync(copied), readFileSync(pathOf(content)));
  flip(copied, 499_999);
  assert.deepEqual((await copyStore('restore', restored, backup)).findings, damaged);
  assert(!existsSync(restored));
  flip(copied, 499_999);
  assert.deepEqual((await copyStore('restore', restored, backup)).findings, []);
  assert.deepEqual(await findingsIn(restored), []);
});

test('the checksums of a long content', { skip: process.env.SHELFMARK_LONG === undefined }, async t => {
  const { directory, contents, pathOf } = await store(t, [LONG]);
  const [content] = contents;
  assert(content);
  assert.deepEqual(await findingsIn(directory), []);
  assert.equal(readFileSync(pathOf(content)).length, LONG + trailerBytes(LONG));
  flip(pathOf(content), LONG - 1);
  assert.match((await findingsIn(directory)).join(), new RegExp(`bytes ${LONG - UNIT_BYTES} to ${LONG - 1}`));
});
