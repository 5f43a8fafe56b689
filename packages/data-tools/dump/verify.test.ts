// What only the rows of a dump show, since all its files are as they were written: their order, counts and sums.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Checksum } from '../line/checksum.js';
import { formatContent, formatLine } from '../line/line.js';
import { rowOf } from '../testing/nasty-rows.js';
import { FolderFiles } from './dump-files.js';
import type { Manifest } from './manifest.js';
import { formatPartition } from './part.js';
import { Dump } from './read-dump.js';
import { rowFindings } from './verify.js';

test('rows out of order are one finding, and those that the sums do not have are three', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-verify-'));
  t.after(() => rmSync(directory, { recursive: true }));
  mkdirSync(join(directory, 't'));
  const rows = ['3', '2', '1'].map(key => rowOf('p', key, []));
  const checksum = new Checksum();
  for (const row of rows) checksum.addContent(formatContent(row));
  const path = 't/00000.jsonl';
  const sums = formatPartition({ partitionKey: 'p', rows: 3, checksum });
  writeFileSync(join(directory, 't', 'partitions.jsonl'), sums);
  const counts = { rows: 3, partitions: 1, checksum: String(checksum) };
  const table = { name: 't', ...counts, policies: null, files: [{ path, rows: 3, bytes: 0, sha256: '' }] };
  const manifest = { format: 'jsonl', tables: [table] } as unknown as Manifest;
  const order = 'its rows are not in the order of keys, each once';
  for (const [keys, found] of [
    [rows, [[path, order]]],
    [[...rows].reverse(), []],
    [
      rows.slice(2),
      [
        [path, 'it has 1 rows, not 3'],
        ['t/partitions.jsonl', 'it does not fit the rows'],
        ['manifest.json', 'table t has other rows than it says'],
      ],
    ],
  ] as const) {
    writeFileSync(join(directory, path), keys.map(row => `${formatLine(row)}\n`).join(''));
    const findings = await rowFindings(new Dump(new FolderFiles(directory), manifest), table, () => {});
    assert.deepEqual(
      findings.map(finding => [finding.path, finding.message]),
      found,
    );
  }
});
