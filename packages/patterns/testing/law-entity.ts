// An entity with a property of every type, and random values of it.
import fc from 'fast-check';
import { codec, entity, Instant, key, type Of, type StandardSchema, t } from '../index.js';
import { codePoint } from './code-point.js';
import { anyText } from './law.js';

export interface Address {
  readonly street: string;
  readonly floors?: readonly number[];
}

/** A Standard Schema by hand, as zod and others make them. */
export const schemaOf = <T>(holds: (value: unknown) => string | undefined): StandardSchema<T, T> => ({
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: value => {
      const fault = holds(value);
      return fault === undefined ? { value: value as T } : { issues: [{ message: fault, path: ['street'] }] };
    },
  },
});

export const address = schemaOf<Address>(value =>
  typeof value === 'object' && value !== null && 'street' in value && typeof value.street === 'string'
    ? undefined
    : 'should be a string',
);

export const Everything = entity('Everything', {
  version: 1,
  table: 'All',
  props: {
    group: t.string(),
    number: t.int32(),
    email: t.string(),
    text: t.string().stored('Text_1'),
    small: t.int32(),
    big: t.int64(),
    size: t.double(),
    open: t.bool(),
    at: t.instant(),
    id: t.guid(),
    photo: t.bytes(),
    home: t.json(address),
    note: t.string().optional(),
  },
  partition: p => key(p.group, p.number.as(codec.hash(4))),
  row: p => key('all', p.email.as(codec.lower), p.number),
});

const STORED_TICKS_MIN = 504_911_232_000_000_000n;

export const anyInstant = fc
  .bigInt({ min: STORED_TICKS_MIN, max: 3_155_378_975_999_999_999n })
  .map(ticks => Instant.fromTicks(ticks));

export const anyValue: fc.Arbitrary<Of<typeof Everything>> = fc.record(
  {
    group: anyText,
    number: fc.integer(),
    email: anyText,
    text: fc.oneof(anyText, fc.string({ unit: codePoint })),
    small: fc.integer(),
    big: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    size: fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, -0, 1e21, 1e300, 5e-324, 2 ** 53)),
    open: fc.boolean(),
    at: anyInstant,
    id: fc.uuid(),
    photo: fc.uint8Array({ maxLength: 40 }),
    home: fc.record({ street: anyText, floors: fc.array(fc.integer()) }, { noNullPrototype: true }),
    note: fc.option(anyText, { nil: undefined }),
  },
  { noNullPrototype: true },
);
