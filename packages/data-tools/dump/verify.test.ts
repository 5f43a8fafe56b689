// The findings in a damaged dump's rows, up to the maximum that is listed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Checksum } from '../line/checksum.js';
import { formatContent, formatLine } from '../line/line.js';
import { rowOf } from '../testing/nasty-rows.js';
import type { DumpFiles } from './dump-files.js';
import { filePath, type Manifest, partitionsPath } from './manifest.js';
import { formatPartition } from './part.js';
import { Dump } from './read-dump.js';
import { rowFindings } from './verify.js';

/** Rows of one partition from the last key to the first: every row except the first is out of order, and nothing else is wrong. */
function reversed(faults: number): Dump {
  const rows = Array.from({ length: faults + 1 }, (_, i) => rowOf('p', String(900 - i), []));
  const checksum = new Checksum();
  for (const row of rows) checksum.addContent(formatContent(row));
  const path = filePath('t', 0, 'jsonl');
  const texts = new Map([
    [path, rows.map(row => `${formatLine(row)}\n`).join('')],
    [partitionsPath('t'), formatPartition({ partitionKey: 'p', rows: rows.length, checksum })],
  ]);
  const files: DumpFiles = {
    name: 'd',
    has: async wanted => texts.has(wanted),
    async *pieces(wanted) {
      yield Buffer.from(texts.get(wanted) ?? '');
    },
    paths: async () => [...texts.keys()],
  };
  const file = { path, rows: rows.length, bytes: 0, sha256: '' };
  const counts = { rows: rows.length, partitions: 1, checksum: String(checksum) };
  const table = { name: 't', ...counts, policies: null, files: [file] };
  return new Dump(files, { format: 'jsonl', tables: [table] } as unknown as Manifest);
}

test('of a table 100 faults are listed, and the rest is counted', async () => {
  const cases = [
    [0, []],
    [99, []],
    [100, []],
    [101, ['1 more fault is not listed']],
    [102, ['2 more faults are not listed']],
  ] as const;
  for (const [faults, left] of cases) {
    const dump = reversed(faults);
    const found = await rowFindings(dump, dump.table('t'), () => {});
    const listed = Math.min(faults, 100);
    assert.deepEqual(
      found.map(({ message }) => message),
      [...Array<string>(listed).fill('its rows are not in the order of keys, each once'), ...left],
      String(faults),
    );
  }
});
