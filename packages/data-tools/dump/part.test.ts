// A part whose run is killed after any checkpoint, with more or less of the next rows in its file, and resumed: it ends
// as one that was never killed.
import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatLine } from '../line/line.js';
import { RowError } from '../line/row.js';
import { rowOf } from '../testing/nasty-rows.js';
import { Part, type PartState } from './part.js';

const ROWS = ['a', 'a', 'a', 'b', 'b', 'c'].map((partition, i) =>
  rowOf(partition, `ü${i}`, [['n', 'Int32', String(i)]]),
);
const lineOf = (at: number): string => `${formatLine(ROWS[at] ?? assert.fail())}\n`;

/** Writes the rows that the part lacks. */
async function finish(path: string, from: PartState | undefined): Promise<PartState> {
  const part = await Part.open(path, from);
  assert.equal(part.last?.rowKey, ROWS[part.rows - 1]?.rowKey);
  await part.write(ROWS.slice(part.rows));
  return part.end();
}

test('a killed part goes on where its checkpoint was', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-part-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const whole = join(directory, 'whole');
  const expected = await finish(whole, undefined);
  const filesOf = (path: string) => [path, Part.sumsPath(path)].map(each => readFileSync(each, 'utf8'));
  assert.equal(filesOf(whole)[0], ROWS.map((_, at) => lineOf(at)).join(''));

  for (let done = 1; done < ROWS.length; done++) {
    const next = lineOf(done);
    for (const more of ['', next.slice(0, 1), next.slice(0, -1), next, next + next]) {
      const path = join(directory, `${done}-${more.length}`);
      const part = await Part.open(path, undefined);
      await part.write(ROWS.slice(0, done));
      const reached = await part.checkpoint();
      await part.close();
      appendFileSync(path, more);
      assert.deepEqual(await finish(path, reached), expected, path);
      assert.deepEqual(filesOf(path), filesOf(whole), path);
    }
    // A power cut took what the checkpoint names.
    const path = join(directory, `${done}-lost`);
    const part = await Part.open(path, undefined);
    await part.write(ROWS.slice(0, done));
    const reached = await part.checkpoint();
    await part.close();
    truncateSync(path, reached.bytes - 1);
    assert.deepEqual(await finish(path, reached), expected, path);
    assert.deepEqual(filesOf(path), filesOf(whole), path);
  }
});

test('a part whose lines are damaged is not continued, and leaves no file open', {
  skip: process.platform !== 'linux',
}, async t => {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-part-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const openFiles = (): readonly string[] =>
    readdirSync('/proc/self/fd').flatMap(fd => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return [];
      }
    });
  const path = join(directory, 'part');
  const reached = await finish(path, undefined);
  truncateSync(path, 1);
  truncateSync(path, reached.bytes);
  await assert.rejects(Part.open(path, reached), RowError);
  assert.deepEqual(
    openFiles().filter(name => name.startsWith(directory)),
    [],
  );
});
