// The reader of sources for the architecture test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, commentsOf, importsOf, longBlocks } from './source-text.js';

test('comments, strings, templates and regular expressions are no code', () => {
  assert.equal(codeOf('a // any\nb /* any\nany */ c'), 'a       \nb       \n       c');
  assert.equal(codeOf("x = 'any' + \"it's\";"), "x = '   ' + '    ';");
  assert.equal(
    codeOf(`x = \`any \${ f({ a: \`any\` }) } any\`;`),
    `x = \`    \${ f({ a: \`   \` }) }    \`;`,
  );
  assert.equal(codeOf('x = /[/"]any/.test(y) / 2; // z'), 'x = /       /.test(y) / 2;     ');
  assert.equal(codeOf("'\\'any'; b"), "'     '; b");
});

test('comments are found where they are, and nothing else', () => {
  const source = `a // one\nx = '// no'; /* two\nthree */ b = \`\${ /* four */ f } // no\`; // five`;
  const comments = commentsOf(source);
  assert.deepEqual(comments.trim().split(/\s{2,}|\n/), [
    '// one',
    '/* two',
    'three */',
    '/* four */',
    '// five',
  ]);
  assert.equal(comments.length, source.length);
});

test('lines stay where they are', () => {
  const source = `a\n/* b\n\n*/ \`c\n\${d}\n\`\n// e\nf`;
  assert.equal(codeOf(source).length, source.length);
  assert.equal(codeOf(source).split('\n').length, source.split('\n').length);
});

test('imports of every form are found, and nothing else', () => {
  const source = `
    // import x from 'comment';
    import a from 'a';
    import { b,
      type B } from "b/c";
    import type { C } from './c.js';
    import 'd';
    export * from '#e';
    const f = await import('f');
    const g = createRequire(import.meta.url)('not seen');
    const h = require('h');
    const text = "import z from 'z'";
  `;
  assert.deepEqual(importsOf(source), ['a', 'b/c', './c.js', 'd', '#e', 'f', 'h']);
});

test('long functions are found, long lists are not', () => {
  const body = '\n  call();'.repeat(5);
  const long = (source: string): readonly string[] => longBlocks(source, 5).map(({ head }) => head);
  assert.deepEqual(long(`export function f(a: { b: string }): void {${body}\n}`).length, 1);
  assert.deepEqual(long(`const f = async (a: string): Promise<void> => {${body}\n};`).length, 1);
  assert.deepEqual(long(`class C {\n  method(): void {${body}\n  }\n}`), ['method(): void']);
  assert.deepEqual(long(`const list = {${'\n  a: 1,'.repeat(9)}\n};`), []);
  assert.deepEqual(long(`interface I {${'\n  a: 1;'.repeat(9)}\n}`), []);
  assert.deepEqual(long(`call([{${'\n  a: 1,'.repeat(9)}\n}]);`), []);
  assert.deepEqual(longBlocks(`f();\nfunction g() {${body}\n}`, 5), [
    { head: 'function g()', firstLine: 2, lines: 7 },
  ]);
});
