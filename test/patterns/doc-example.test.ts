// That the examples of a page become what they claim.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { programOf } from './doc-example.js';

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
