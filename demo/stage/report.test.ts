// The report's layout: no text is lost, and no line is wider than the page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Report, wrap } from './report.js';

const PAGE_WIDTH = 100;

const linesOf = (print: (report: Report) => void): string[] => {
  const lines: string[] = [];
  print(new Report(line => lines.push(line)));
  return lines;
};

test('wrapping moves words and loses none', () => {
  assert.deepEqual(wrap('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrap('abcdefgh', 3), ['abc', 'def', 'gh']);
  const word = fc.stringMatching(/^[a-z]{1,20}$/);
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), fc.integer({ min: 1, max: 30 }), (words, width) => {
      const lines = wrap(words.join(' '), width);
      assert.ok(lines.every(line => line.length <= width));
      assert.equal(lines.join('').replaceAll(' ', ''), words.join(''));
    }),
  );
});

test('a request is printed to the character, without its origin', () => {
  const path = fc.stringMatching(/^[a-z,&%20]{0,400}$/);
  fc.assert(
    fc.property(path, text => {
      const url = `http://127.0.0.1:10002/account/t()?${text}`;
      const exchange = { method: 'GET', url, ifMatch: undefined, status: 200, bytes: 0, ms: 0 };
      const lines = linesOf(report => report.sent(exchange));
      assert.ok(lines.every(line => line.length <= PAGE_WIDTH));
      const printed = lines.map(line => line.trim()).join('');
      assert.equal(printed, `sent          GET /account/t()?${text}`);
    }),
  );
});

test('adds up the cost of a call', () => {
  const exchange = {
    method: 'GET',
    url: 'http://h/',
    ifMatch: undefined,
    status: 200,
    bytes: 6_000,
    ms: 2.5,
  };
  assert.deepEqual(
    linesOf(report => report.served([exchange, { ...exchange, status: 412 }], '3 rows')),
    ['    served        200, 412 | 3 rows | 2 requests | 12 KB | 5.0 ms'],
  );
});

test('aligns columns: text to the left, numbers to the right', () => {
  const lines = linesOf(report =>
    report.rows([
      ['rowKey', 'votes'],
      ['a', 5n],
      ['long-key', 1_234],
    ]),
  );
  assert.deepEqual(
    lines.map(line => line.trim()),
    ['rowKey    votes', 'a             5', 'long-key  1,234'],
  );
});
