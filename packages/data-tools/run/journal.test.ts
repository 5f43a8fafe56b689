// A journal of an earlier version of Shelfmark is refused with what to do, and kept.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Journal } from './journal.js';

test('a journal of another version is refused, with what to do, and kept', t => {
  const directory = mkdtempSync(join(tmpdir(), 'journal-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'journal.jsonl');
  const text = '{"journal":"dump","version":3,"arguments":{}}\n{"kind":"read"}\n';
  writeFileSync(path, text);
  assert.throws(() => Journal.open({ path, tool: 'dump', arguments: {}, resume: true }), {
    exit: 'usage',
    message: `${path} is a journal of another version of Shelfmark. Finish the run with that version, or begin again: without --resume, and a dump in another directory.`,
  });
  assert.equal(readFileSync(path, 'utf8'), text);
});
