// A damaged file is fetched again, and one that arrives damaged is refused. The repository is a function here.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fetchJar } from './fetch-jars.js';

const RIGHT = 'what it must hold';
const PATH = 'org/example/thing/1/thing-1.jar';
const JAR = { path: PATH, sha256: createHash('sha256').update(RIGHT).digest('hex') };

/** A directory of the test's own, and a repository that answers with the texts, one after the other. */
function beside(t: TestContext, ...texts: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-jars-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const left = [...texts];
  const { mock } = t.mock.method(globalThis, 'fetch', async () => new Response(left.shift()));
  return { directory, file: join(directory, 'thing-1.jar'), asked: () => mock.callCount() };
}

test('jars: intact files are not fetched, and damaged ones are fetched again', async t => {
  const { directory, file, asked } = beside(t, RIGHT);
  writeFileSync(file, `${RIGHT}!`);
  assert.equal(await fetchJar(JAR, directory), file);
  assert.equal(readFileSync(file, 'utf8'), RIGHT);
  await fetchJar(JAR, directory);
  assert.equal(asked(), 1);
});

test('jars: a file that arrives damaged is fetched three times, refused with its digest, and not kept', async t => {
  const { directory, asked } = beside(t, 'damaged', 'damaged', 'damaged', RIGHT);
  await assert.rejects(fetchJar(JAR, directory), {
    message: `${PATH} is not what it was: its SHA-256 is ${createHash('sha256').update('damaged').digest('hex')}.`,
  });
  assert.deepEqual(readdirSync(directory), []);
  assert.equal(asked(), 3);
});
