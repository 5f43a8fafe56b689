// Any code point except halves of surrogate pairs, for random texts. It draws what fast-check's unit `binary` draws,
// without that one's map of a million characters: a second of processor time and 90 MB, which every garbage collection
// scans again.
import fc from 'fast-check';

const SURROGATES = { from: 0xd800, count: 0x800 } as const;

/** The unit of a text: `fc.string({ unit: codePoint })`. */
export const codePoint: fc.Arbitrary<string> = fc.nat({ max: 0x10ffff - SURROGATES.count }).map(
  index => String.fromCodePoint(index < SURROGATES.from ? index : index + SURROGATES.count),
  character => {
    // Shrinking checks whether an arbitrary value is one of these.
    if (typeof character !== 'string') throw new Error('Not a character.');
    const point = character.codePointAt(0);
    const isSurrogate = point !== undefined && point >> 11 === SURROGATES.from >> 11;
    if (point === undefined || isSurrogate || String.fromCodePoint(point) !== character)
      throw new Error('Not one character.');
    return point < SURROGATES.from ? point : point - SURROGATES.count;
  },
);
