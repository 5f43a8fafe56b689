// The examples of a page become programs that assert what the page claims.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commentsOf, programOf } from './doc-example.js';

const PAGE = `# Title

\`\`\`ts
import { key, type Of } from 'shelfmark-patterns';
const a = 1 + 1; // => 2
\`\`\`

Text.

\`\`\`sh
ls
\`\`\`

\`\`\`ts
import { key, Of, t } from 'shelfmark-patterns';
  [a]; // => [2]
await f(a); // throws NotFound
\`\`\`
`;

test('a page is a program, line by line', () => {
  const lines = (programOf(PAGE) ?? '').split('\n');
  assert.match(lines[0] ?? '', /import \{ key, Of, t \} from '#patterns';/);
  assert.equal(lines[4], 'const a = 1 + 1; assert.deepEqual(a, 2);');
  assert.equal(lines[15], '  assert.deepEqual([a], [2]);');
  assert.equal(
    lines[16],
    "await assert.rejects(async () => (await f(a)), { name: 'PatternError', code: 'NotFound' });",
  );
  assert.equal(lines.filter(line => line.includes('ls')).length, 0);
  assert.equal(programOf('# Title\n\nText.\n'), undefined);
});

test('comments are a page', () => {
  const source =
    '// Title.\n/** One line. */\nconst a = 1;\n/**\n * ```ts\n * t.string(); // => 1\n * ```\n */\n';
  const page = commentsOf(source);
  assert.equal(page, '\n\n\n\n```ts\nt.string(); // => 1\n```\n\n');
  const lines = (programOf(page, ['key', 't']) ?? '').split('\n');
  assert.match(lines[0] ?? '', /import \{ t \} from '#patterns';/);
  assert.equal(lines[5], 'assert.deepEqual(t.string(), 1);');
});
