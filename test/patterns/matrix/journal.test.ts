// A journal of the crash matrix gives back what went well, to another process too, and survives a line that was cut.
import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Journal } from './journal.js';
import { NOTHING_FAILS } from './plans.js';
import type { Plan } from './run-case.js';

test('runs that are noted are found again, behind a line that was cut off, too', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'shelfmark-journal-'));
  const file = join(directory, 'runs.jsonl');
  const [plain, ran]: [Plan, { program: boolean[]; worker: boolean[] }] = [
    NOTHING_FAILS,
    { program: [true, false], worker: [] },
  ];
  const twice = { ...plain, isTwice: true };
  new Journal(file).note('memory a case', plain, ran);
  await appendFile(file, '{"of":"memory a case","pl');
  const second = new Journal(file);
  assert.deepEqual(second.find('memory a case', plain), ran);
  assert.equal(second.find('memory a case', twice), undefined);
  assert.equal(second.find('azurite a case', plain), undefined);
  second.note('memory a case', twice, ran);
  assert.deepEqual(new Journal(file).find('memory a case', twice), ran);
  assert.equal((await readFile(file, 'utf8')).split('\n').length, 3);
  await rm(directory, { recursive: true });
});
