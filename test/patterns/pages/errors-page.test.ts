// That docs/patterns/errors.md has a section for each error code, with the names of its details, and none for others.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../support/spawned-server.js';

const page = readFileSync(join(ROOT, 'docs', 'patterns', 'errors.md'), 'utf8');
const source = readFileSync(join(ROOT, 'packages', 'patterns', 'values', 'pattern-error.ts'), 'utf8');

test('every error code has a section, and every section a code', () => {
  const [, body = ''] = /interface PatternErrorDetails \{\n(.*?)\n\}/s.exec(source) ?? [];
  const codes = [...body.matchAll(/^ {2}readonly (\w+):/gm)].map(([, code]) => code);
  const sections = [...page.matchAll(/^### (\w+)$/gm)].map(([, code]) => code);
  assert(codes.length > 10);
  assert.deepEqual(sections.toSorted(), codes.toSorted());
});

test('sections name the details', () => {
  const drift = /interface Drift extends RowAddress \{\n(.*?)\n\}/s.exec(source)?.[1] ?? '';
  const [, body = ''] = /interface PatternErrorDetails \{\n(.*?)\n\}/s.exec(source) ?? [];
  const blocks = body.split(/^ {2}readonly (?=\w+:)/m).slice(1);
  for (const block of blocks) {
    const [code = ''] = block.split(':');
    const isRow = /RowAddress|Drift/.test(block);
    const own = [...(/: Drift/.test(block) ? drift : block).matchAll(/readonly (\w+)\??:/g)].map(
      ([, name = '']) => name,
    );
    const section = page.split(`### ${code}\n\n`)[1]?.split('. ')[0] ?? '';
    const named = [...section.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
    const expected = [...(isRow ? ['table', 'partitionKey', 'rowKey'] : []), ...own];
    assert.deepEqual(named.toSorted(), expected.toSorted(), code);
  }
});
