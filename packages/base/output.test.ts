// An answer is what was written to it, however long; and stays it while others are written and released.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openOutput, Piece, releaseBuffer } from './output.js';

/** On both sides of where an answer is a buffer, where it outgrows one, and where it outgrows them all. */
const length = fc.oneof(
  { weight: 4, arbitrary: fc.nat(100) },
  { weight: 3, arbitrary: fc.nat(70_000) },
  { weight: 2, arbitrary: fc.nat(300_000) },
  { weight: 1, arbitrary: fc.nat(2_500_000) },
);
const piece = fc.record({ kind: fc.constantFrom('text', 'piece', 'bytes'), length, fill: fc.nat(25) });
const answer = fc.record({
  pieces: fc.array(piece, { maxLength: 12 }),
  size: fc.option(fc.nat(200_000), { nil: undefined }),
  isReleased: fc.boolean(),
});

test('answers hold what was written, while others are written and released', () => {
  const property = fc.property(fc.array(answer, { minLength: 1, maxLength: 8 }), answers => {
    const open: { readonly body: Buffer | string; readonly expected: string }[] = [];
    for (const { pieces, size, isReleased } of answers) {
      const output = openOutput(size);
      let expected = '';
      for (const { kind, length: count, fill } of pieces) {
        const text = String.fromCharCode(97 + fill).repeat(count);
        expected += text;
        if (kind === 'text') output.text(text);
        else if (kind === 'piece') output.piece(new Piece(text));
        else output.bytes(Buffer.from(`<${text}>`), 1, count + 1);
      }
      const body = output.end();
      assert.ok(body.toString() === expected);
      if (isReleased && typeof body !== 'string') releaseBuffer(body);
      else open.push({ body, expected });
      for (const each of open) assert.ok(each.body.toString() === each.expected);
    }
  });
  fc.assert(property, { numRuns: 60 });
});
