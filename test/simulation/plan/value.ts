// The simulation's property values: a type and a canonical text, how they are sent, and how an answer must show them.
// Independent of the packages under test.
import fc from 'fast-check';
import { from, oneOf, several } from '../../random/arbitrary.js';

/** `text` is the one form that the service would write: doubles with a point, times with seven digits, binary in base64. */
export interface Value {
  readonly type: ValueType;
  readonly text: string;
}

/** In the order in which they are written or stored; null is sent and never stored. */
export type Property = readonly [name: string, value: Value];

/** Some are names that every JavaScript object has. */
export const PROPERTY_NAMES = 'n text flag Größe when Zeta _x __proto__ constructor'.split(' ');

/** With weights. */
const TEXTS = {
  'Edm.String': [
    5,
    ['', 'a', 'B', 'b', '10', '9', "o'hara", 'é"\\\n', '\u{1f600}', '\uff01', 'x'.repeat(300)],
  ],
  'Edm.Int32': [5, ['0', '1', '2', '-1', '2147483647', '-2147483648']],
  'Edm.Int64': [2, ['0', '1', '2', '-1', '9007199254740993', '-9223372036854775808']],
  'Edm.Double': [2, ['0.5', '1.5', '-1.25', '2.5', '1234567.125']],
  'Edm.Boolean': [2, ['true', 'false']],
  'Edm.DateTime': [
    1,
    ['1999-12-31T23:59:59.9999999Z', '2020-01-02T03:04:05.1234567Z', '2020-01-02T03:04:05.1234568Z'],
  ],
  'Edm.Guid': [1, ['00000000-0000-0000-0000-000000000001', 'c9da6455-213d-42c9-9a79-3e9149a57833']],
  'Edm.Binary': [1, ['', 'AAEC', 'AAH/', '/w==']],
} as const satisfies Readonly<Record<string, readonly [weight: number, texts: readonly string[]]>>;
type ValueType = keyof typeof TEXTS;

export const someValue: fc.Arbitrary<Value> = oneOf(
  ...Object.entries(TEXTS).map(
    ([type, [weight, texts]]) =>
      [weight, from<string>(texts).map(text => ({ type: type as ValueType, text }))] as const,
  ),
);

/** Of different names, in or against their order. */
export const someProperties = (most: number): fc.Arbitrary<Property[]> =>
  fc
    .tuple(fc.subarray(PROPERTY_NAMES, { maxLength: most }), fc.boolean(), several(someValue, most, most))
    .map(([names, isReversed, values]) => {
      const ordered = isReversed ? names.toReversed() : names;
      return values.slice(0, ordered.length).map((value, at) => [ordered[at] ?? '', value]);
    });

/** Types that JSON's own form reveals. */
const isBare = ({ type }: Value): boolean =>
  type === 'Edm.Int32' || type === 'Edm.Double' || type === 'Edm.Boolean';
/** What answers with metadata annotate: every value whose JSON form does not reveal its type. */
export const isAnnotated = (value: Value): boolean => !isBare(value) && value.type !== 'Edm.String';

/** The members of a body that send a property. */
export function memberOf([name, value]: Property): string {
  const quoted = JSON.stringify(name);
  if (isBare(value)) return `${quoted}:${value.text}`;
  const annotation = isAnnotated(value) ? `"${name}@odata.type":"${value.type}",` : '';
  return `${annotation}${quoted}:${JSON.stringify(value.text)}`;
}

/** The value as parsed from the JSON of an answer. */
export function answered({ type, text }: Value): string | number | boolean {
  if (type === 'Edm.Boolean') return text === 'true';
  return type === 'Edm.Int32' || type === 'Edm.Double' ? Number(text) : text;
}
