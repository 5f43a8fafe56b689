// An answer is what was written to it, however long, and stays the same while others are written and released.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Output, openOutput, Piece, releaseBuffer, withHead } from './output.js';
import { randomRuns } from './testing/random-runs.js';

const HEAD_ROOM = 1024;
/** Longer answers use memory that is not pooled. */
const LENT_BYTES_MAX = 0x20_0000 - HEAD_ROOM;

/** On both sides of the lengths at which an answer becomes a buffer, outgrows one, and outgrows them all. */
const length = fc.oneof(
  { weight: 4, arbitrary: fc.nat(100) },
  { weight: 3, arbitrary: fc.nat(70_000) },
  { weight: 2, arbitrary: fc.nat(300_000) },
  { weight: 1, arbitrary: fc.nat(2_500_000) },
);
const piece = fc.record({
  kind: fc.constantFrom('text', 'piece', 'bytes', 'plain'),
  length,
  fill: fc.nat(25),
  times: fc.integer({ min: 1, max: 3 }),
});
const answer = fc.record({
  pieces: fc.array(piece, { maxLength: 12 }),
  size: fc.option(fc.nat(200_000), { nil: undefined }),
  isReleased: fc.boolean(),
  head: fc.nat(1_100),
});

type Part = { kind: 'text' | 'piece' | 'bytes' | 'plain'; length: number; fill: number; times: number };

/** Returns what was written. */
function write(output: Output, { kind, length: count, fill, times }: Part): string {
  const text = String.fromCharCode(97 + fill).repeat(count);
  const piece = new Piece(text);
  const stored = Buffer.from(`<${text}>`);
  for (let time = 0; time < times; time += 1) {
    if (kind === 'piece') output.piece(piece);
    else if (kind === 'bytes') output.bytes(stored, 1, count + 1);
    else if (kind === 'text' || !output.plain(stored, 1, count + 1)) output.text(text);
  }
  return text.repeat(times);
}

test('answers hold what was written, while others are written and released', () => {
  const property = fc.property(fc.array(answer, { minLength: 1, maxLength: 8 }), answers => {
    const open: { readonly body: Buffer | string; readonly expected: string }[] = [];
    for (const { pieces, size, isReleased, head } of answers) {
      const output = openOutput(size);
      let expected = '';
      for (const each of pieces) expected += write(output, each);
      const body = output.end();
      assert.ok(body.toString() === expected);
      if (typeof body !== 'string') assertHead('h'.repeat(head), body);
      if (isReleased && typeof body !== 'string') releaseBuffer(body);
      else open.push({ body, expected });
      for (const each of open) assert.ok(each.body.toString() === each.expected);
    }
  });
  fc.assert(property, { numRuns: randomRuns(60) });
});

/** Releasing the body releases it with its head. */
function assertHead(head: string, body: Buffer): void {
  const whole = withHead(head, body);
  assert.equal(whole === undefined, head.length > HEAD_ROOM || body.length > LENT_BYTES_MAX);
  if (whole !== undefined) assert.ok(whole.toString() === head + body.toString());
}

test('bytes are copied up to what JSON escapes', () => {
  const plain = fc.string({ unit: fc.constantFrom('a', ' ', '!', '#', '[', ']', '~') });
  const other = fc.constantFrom('"', '\\', '\x00', '\x1f', '\x7f', '\x80', '\xff');
  const property = fc.property(plain, fc.option(other, { nil: '' }), plain, (before, unit, after) => {
    const bytes = Buffer.from(before + unit + after, 'latin1');
    const output = openOutput();
    output.text('<');
    assert.equal(output.plain(bytes, 0, bytes.length), unit === '');
    output.text('>');
    assert.equal(output.end(), unit === '' ? `<${bytes.toString()}>` : '<>');
  });
  fc.assert(property);
});
