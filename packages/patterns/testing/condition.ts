// Random conditions and rows, for tests: few names, few values near each other, so that comparisons meet equal ones often.
import fc from 'fast-check';
import { COMPARISONS, type Comparison, type Condition, type Operand } from '../model/filter/condition.js';
import type { RowReader } from '../model/filter/evaluate.js';
import type { KeyRange } from '../model/keys/compiled-key.js';
import { Instant } from '../values/instant.js';
import type { TypedValue } from '../values/typed-value.js';

const GUID = 'c9da6455-213d-42c9-9a79-3e9149a57833';

const VALUES: readonly TypedValue[] = [
  ...['', 'a', "b'", 'é', '1', GUID].map((value): TypedValue => ({ type: 'String', value })),
  ...[-1, 0, 1].map((value): TypedValue => ({ type: 'Int32', value })),
  ...[-1n, 0n, 1n, 2n ** 53n + 1n].map((value): TypedValue => ({ type: 'Int64', value })),
  ...[-1, -0, 1, 1.5, 2 ** 53, 1e300].map((value): TypedValue => ({ type: 'Double', value })),
  ...[false, true].map((value): TypedValue => ({ type: 'Boolean', value })),
  ...['1601-01-01T00:00:00.0000001Z', '2017-11-10T02:44:47.6221962Z'].map(
    (text): TypedValue => ({ type: 'DateTime', value: Instant.parse(text) }),
  ),
  ...[GUID, GUID.replace('c', 'd')].map((value): TypedValue => ({ type: 'Guid', value })),
  ...[[], [97], [97, 98]].map((bytes): TypedValue => ({ type: 'Binary', value: new Uint8Array(bytes) })),
];

const KEYS = ['', 'a', "a'b", 'b', 'ba', 'c'];
export const NAMES: readonly string[] = ['a', 'b', 'été', 'missing'];

export interface TestRow {
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly properties: ReadonlyMap<string, TypedValue>;
}

const key = fc.constantFrom(...KEYS);
const keyOperand = key.map((value): Operand => ({ kind: 'value', typed: { type: 'String', value } }));
const operator = fc.constantFrom(...(Object.keys(COMPARISONS) as Comparison[]));
const value = fc.constantFrom(...VALUES);
const property = fc.constantFrom(...NAMES).map((name): Operand => ({ kind: 'property', name }));
const constant = value.map((typed): Operand => ({ kind: 'value', typed }));

const compared = (left: Operand, op: Comparison, right: Operand, isSwapped: boolean): Condition =>
  isSwapped
    ? { kind: 'compare', operator: op, left: right, right: left }
    : { kind: 'compare', operator: op, left, right };

const onKey = fc
  .tuple(fc.constantFrom('PartitionKey', 'RowKey'), operator, keyOperand, fc.boolean())
  .map(([name, op, text, isSwapped]) => compared({ kind: 'property', name }, op, text, isSwapped));

/** One value of a name, or one of several. */
const isOneOf = (name: string): fc.Arbitrary<Condition> =>
  fc
    .array(fc.tuple(keyOperand, fc.boolean()), { minLength: 1, maxLength: 2 })
    .map(values =>
      values.map(([text, isSwapped]) => compared({ kind: 'property', name }, 'eq', text, isSwapped)),
    )
    .map((terms): Condition => (terms.length === 1 && terms[0] ? terms[0] : { kind: 'or', terms }));

/** Single rows, which two conditions on keys that come together by chance hardly ever are. */
const onPoints: fc.Arbitrary<Condition> = fc
  .tuple(isOneOf('PartitionKey'), isOneOf('RowKey'))
  .map((terms): Condition => ({ kind: 'and', terms }));

const leaf: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 6, arbitrary: onKey },
  {
    weight: 3,
    arbitrary: fc.tuple(property, operator, constant, fc.boolean()).map(args => compared(...args)),
  },
  { weight: 1, arbitrary: fc.tuple(property, operator, property).map(args => compared(...args, false)) },
  { weight: 1, arbitrary: property },
  {
    weight: 1,
    arbitrary: fc
      .boolean()
      .map((is): Condition => ({ kind: 'value', typed: { type: 'Boolean', value: is } })),
  },
);

const conditionsOf = (leaves: fc.Arbitrary<Condition>): fc.Arbitrary<Condition> =>
  fc.letrec<{ condition: Condition }>(tie => {
    const some = fc.array(tie('condition'), { minLength: 2, maxLength: 4 });
    return {
      condition: fc.oneof(
        { maxDepth: 4, depthSize: 'small' },
        leaves,
        fc
          .tuple(fc.constantFrom('and' as const, 'or' as const), some)
          .map(([kind, terms]): Condition => ({ kind, terms })),
        tie('condition').map((term): Condition => ({ kind: 'not', term })),
      ),
    };
  }).condition;

const withPoints = (conditions: fc.Arbitrary<Condition>): fc.Arbitrary<Condition> =>
  fc.oneof({ weight: 4, arbitrary: conditions }, { weight: 1, arbitrary: onPoints });

/** Conditions of every form, which the service takes. */
export const anyCondition: fc.Arbitrary<Condition> = withPoints(conditionsOf(leaf));

/** Those that compare keys alone. */
export const conditionOnKeys: fc.Arbitrary<Condition> = withPoints(conditionsOf(onKey));

export const anyRow: fc.Arbitrary<TestRow> = fc.record({
  partitionKey: key,
  rowKey: key,
  properties: fc
    .array(fc.tuple(fc.constantFrom('a', 'b', 'été'), value), { maxLength: 4 })
    .map(entries => new Map(entries)),
});

/** Every row that the keys allow, with random properties. */
export const allRows: fc.Arbitrary<readonly TestRow[]> = fc
  .array(anyRow, { minLength: KEYS.length ** 2, maxLength: KEYS.length ** 2 })
  .map(rows =>
    rows.map((row, at) => ({
      ...row,
      partitionKey: KEYS[Math.floor(at / KEYS.length)] ?? '',
      rowKey: KEYS[at % KEYS.length] ?? '',
    })),
  );

export const readerOfRow =
  ({ partitionKey, rowKey, properties }: TestRow): RowReader =>
  name => {
    if (name === 'PartitionKey') return { type: 'String', value: partitionKey };
    return name === 'RowKey' ? { type: 'String', value: rowKey } : properties.get(name);
  };

/** Whether a key is in a range. */
export const isIn = (text: string, { eq, ge, gt, lt, le }: KeyRange): boolean =>
  (eq === undefined || text === eq) &&
  (ge === undefined || text >= ge) &&
  (gt === undefined || text > gt) &&
  (lt === undefined || text < lt) &&
  (le === undefined || text <= le);
