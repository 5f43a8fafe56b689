// Any code point but halves of surrogate pairs, as `packages/base/testing/code-point.ts`, which this package must not know. It draws what fast-check's unit `binary` draws, without the map of a million
// characters that this one builds: a second of processor time and 90 MB, which every collection of garbage walks through again.
import fc from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 } as const;

/** The unit of a text: `fc.string({ unit: codePoint })`. */
export const codePoint: fc.Arbitrary<string> = fc.nat({ max: 0x10ffff - SURROGATES.count }).map(
  index => String.fromCodePoint(index < SURROGATES.from ? index : index + SURROGATES.count),
  character => {
    // Shrinking asks of any value whether it is one of these.
    if (typeof character !== 'string') throw new Error('Not a character.');
    const point = character.codePointAt(0);
    const isSurrogate = point !== undefined && point >> 11 === SURROGATES.from >> 11;
    if (point === undefined || isSurrogate || String.fromCodePoint(point) !== character)
      throw new Error('Not one character.');
    return point < SURROGATES.from ? point : point - SURROGATES.count;
  },
);
