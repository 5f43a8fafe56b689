// Detached strings: equal to the original, and the text that it was a slice of can be collected. Memoized parsing: the results that are cached,
// and those that are not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { detachedString, memo } from './detached-text.js';

const COUNT = 2_000;
const LENGTH = 4_096;
const KEPT_BYTES_MAX = 400;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const heapBytes = (): number => {
  collect();
  return process.memoryUsage().heapUsed;
};

/** Slices of so many characters, of long texts without other references. */
function bytesKept(length: number, copy: (slice: string) => string): number {
  const before = heapBytes();
  const kept = Array.from({ length: COUNT }, (_, index) => {
    const long = Buffer.alloc(LENGTH, `text ${index} `).toString('latin1');
    return copy(long.slice(7, 7 + length));
  });
  const bytes = (heapBytes() - before) / COUNT;
  assert.equal(kept.length, COUNT);
  return bytes;
}

test('a detached string does not keep its parent alive', () => {
  for (const length of [2, 12, 13, 14, 100]) {
    const bytes = bytesKept(length, detachedString);
    assert.ok(bytes < KEPT_BYTES_MAX, `${length} characters keep ${bytes} bytes`);
  }
  const bytes = bytesKept(100, slice => slice);
  assert.ok(bytes > LENGTH / 2, `a slice keeps ${bytes} bytes, and there is nothing to copy it for`);
});

test('a detached string equals the original, for all kinds of strings', () => {
  for (const text of ['', 'a', 'ä', '\u0000', 'ключ', '\ud800', '😀'.repeat(20), 'x'.repeat(100_000)])
    assert.equal(detachedString(text), text);
});

test('a text is parsed once, unless it is long or its result is an error', () => {
  const parsed: string[] = [];
  const parse = memo(
    text => {
      parsed.push(text);
      if (text === 'bad') throw new Error(text);
      return { text };
    },
    { entriesMax: 2, lengthMax: 4 },
  );
  assert.equal(parse('one'), parse('one'));
  parse('long one');
  parse('long one');
  for (let i = 0; i < 2; i++) assert.throws(() => parse('bad'), /^Error: bad$/);
  assert.deepEqual(parsed, ['one', 'long one', 'long one', 'bad', 'bad']);
});

test('it never holds more than its bound', () => {
  let count = 0;
  const parse = memo(() => ++count, { entriesMax: 2, lengthMax: 4 });
  assert.deepEqual(['a', 'b', 'c', 'a', 'c'].map(parse), [1, 2, 3, 4, 3]);
});

test('a text whose result must not be cached is parsed each time', () => {
  let count = 0;
  const parse = memo(
    text => `${text}${++count}`,
    { entriesMax: 2, lengthMax: 4 },
    parsed => !parsed.startsWith('x'),
  );
  assert.deepEqual(['a', 'x', 'a', 'x'].map(parse), ['a1', 'x2', 'a1', 'x3']);
});
