// Values that fast-check generates, one after the other, all decided by a seed.
import fc from 'fast-check';

export function drawing<T>(arbitrary: fc.Arbitrary<T>, seed: number): () => T {
  const [stream] = fc.sample(fc.infiniteStream(arbitrary, { noHistory: true }), { seed, numRuns: 1 });
  return () => {
    const next = stream?.next();
    if (next === undefined) throw new RangeError('There is nothing to draw.');
    return next.value;
  };
}
