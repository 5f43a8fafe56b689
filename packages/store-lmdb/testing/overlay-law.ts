// What tests of the overlay share: positions and ranges that matter, and their order.
import fc from 'fast-check';
import { codePoint } from '#base/testing';
import type { Position, ScanRange } from '#store';

/**
 * Prefixes of each other, both sides of the surrogates, halves of pairs, what is beyond the BMP, and the empty string.
 */
const TEXTS = ['', '\0', 'a', 'a\0', 'a\0\0', 'ab', 'b', 'é', '\ud7ff', '\ud83d', '😀', '\ue000', '\uffff'];

const partition = fc.constantFrom(...TEXTS);
const key = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: codePoint, maxLength: 2 }) },
);

export const position: fc.Arbitrary<Position> = fc.record({ partition, key });

/** Some of them longer than 16 bytes, and prefixes of each other. */
export const longPosition: fc.Arbitrary<Position> = fc.record({
  partition,
  key: fc.constantFrom('x'.repeat(15), 'x'.repeat(16), 'x'.repeat(40), `${'x'.repeat(40)}\0`, 'é'.repeat(20)),
});

const bound = fc.oneof({ weight: 4, arbitrary: position }, { weight: 1, arbitrary: longPosition });

/** Ranges of all kinds; some are empty, some reach to the end of their partition. */
export const range: fc.Arbitrary<ScanRange> = fc.oneof(
  fc.constant({ from: { partition: '', key: '' } }),
  fc.record({ from: bound, until: fc.option(bound, { nil: undefined }) }),
  bound.map(from => ({ from, until: { partition: `${from.partition}\0`, key: '' } })),
  fc.tuple(bound, key).map(([from, end]) => ({ from, until: { partition: from.partition, key: end } })),
);

/** Law 1 of the store. */
export function compare(a: Position, b: Position): number {
  if (a.partition !== b.partition) return a.partition < b.partition ? -1 : 1;
  if (a.key === b.key) return 0;
  return a.key < b.key ? -1 : 1;
}

export function isWithin({ from, until }: ScanRange, place: Position): boolean {
  return compare(from, place) <= 0 && (until === undefined || compare(place, until) < 0);
}
