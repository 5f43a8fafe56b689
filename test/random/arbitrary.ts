// What random input needs besides fast-check's arbitraries: choices with weights, and values that are drawn one after the
// other, all decided by a seed.
import fc from 'fast-check';

/** One of them, each as likely as its weight is of all weights. */
export const oneOf = <T>(
  ...choices: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<T>])[]
): fc.Arbitrary<T> => fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

export const from = <const T>(values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

/** Values with weights. */
export const weighted = <const T>(...choices: readonly (readonly [weight: number, value: T])[]) =>
  oneOf<T>(...choices.map(([weight, value]) => [weight, fc.constant(value)] as const));

/** Without fast-check's bias to the least and the most. Each is made once: they are the most frequent. */
const hundredth = from(Array.from({ length: 100 }, (_, at) => at));
const CHANCES = Array.from({ length: 101 }, (_, percent) => hundredth.map(drawn => drawn < percent));

/** True in so many of a hundred cases. */
export function chance(percent: number): fc.Arbitrary<boolean> {
  const found = CHANCES[percent];
  if (found === undefined) throw new RangeError(`${percent} is not a whole number up to 100.`);
  return found;
}

/** The rare one in so many of a hundred cases; a failure shrinks to the usual one. */
export const seldom = <T>(percent: number, rare: fc.Arbitrary<T>, usual: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  oneOf([100 - percent, usual], [percent, rare]);

/** Undefined in the other cases. */
export const maybe = <T>(percent: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  seldom<T | undefined>(percent, arbitrary, fc.constant(undefined));

/** From 0 up to but not including the bound. */
export const below = (bound: number): fc.Arbitrary<number> => fc.nat({ max: bound - 1 });

/** From 0 up to but not including 1. */
export const unit = fc.nat({ max: 2 ** 30 - 1 }).map(drawn => drawn / 2 ** 30);

export const between = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

/** Any number of them from the least to the most; fast-check's own arrays are mostly short. */
export const several = <T>(
  arbitrary: fc.Arbitrary<T>,
  minLength: number,
  maxLength: number,
): fc.Arbitrary<T[]> => fc.array(arbitrary, { minLength, maxLength, size: 'max' });

/** So many of them, each at most once, in their order. */
export const some = <T>(values: readonly T[], count: number): fc.Arbitrary<T[]> =>
  fc.subarray([...values], { minLength: count, maxLength: count });

/** Draws a value from any arbitrary. */
export type Draw = <T>(arbitrary: fc.Arbitrary<T>) => T;

/** Made from one draw after the other, where what is drawn depends on what was drawn before. It does not shrink. */
class Drawn<T> extends fc.Arbitrary<T> {
  readonly #make: (draw: Draw) => T;

  constructor(make: (draw: Draw) => T) {
    super();
    this.#make = make;
  }

  override generate(random: fc.Random): fc.Value<T> {
    const own = random.clone();
    return new fc.Value(
      this.#make(arbitrary => arbitrary.generate(own, undefined).value),
      undefined,
    );
  }

  override canShrinkWithoutContext(_: unknown): _ is T {
    return false;
  }

  override shrink(): fc.Stream<fc.Value<T>> {
    return fc.Stream.nil();
  }
}

export const drawn = <T>(make: (draw: Draw) => T): fc.Arbitrary<T> => new Drawn(make);

/** One that a seed decides. Unlike the value of fc.gen it keeps nothing: it may be used as long as a server runs. */
export function drawFrom(seed: number): Draw {
  const [draw] = fc.sample(
    drawn(own => own),
    { seed, numRuns: 1 },
  );
  if (draw === undefined) throw new RangeError('There is nothing to draw from.');
  return draw;
}
