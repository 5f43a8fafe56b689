// Every bit of an entity's stored form: a flipped bit is found, unless the result is another valid text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultServiceProperties, encodeServiceProperties } from '#account';
import type { Row, Space } from '#store';
import type { Property } from './entity/edm.js';
import { decodeEntity } from './entity/entity-codec.js';
import { encodeEntity } from './entity/entity-encoder.js';
import { inspectRow, inspectSpace } from './inspect.js';
import { encodeTableMetadata } from './table-space.js';

const PROPERTIES: readonly Property[] = [
  { name: 'String', type: 'Edm.String', value: 'Köln "am" Rhein' },
  { name: 'Int32', type: 'Edm.Int32', value: -5 },
  { name: 'Int64', type: 'Edm.Int64', value: 9_007_199_254_740_993n },
  { name: 'Double', type: 'Edm.Double', value: 0.1 },
  { name: 'None', type: 'Edm.Double', value: Number.NaN },
  { name: 'Boolean', type: 'Edm.Boolean', value: true },
  { name: 'DateTime', type: 'Edm.DateTime', value: 17_000_000_000_000_000n },
  { name: 'Guid', type: 'Edm.Guid', value: '00112233-4455-6677-8899-aabbccddeeff' },
  { name: 'Binary', type: 'Edm.Binary', value: Buffer.from([0, 1, 127, 128, 255]) },
];
const SPACE: Space = {
  account: 'account1',
  service: 'table',
  name: 'things',
  id: 1,
  created: 1n,
  metadata: encodeTableMetadata({ name: 'Things', identifiers: [] }),
};
const rowOf = (value: Buffer): Row => ({ partition: 'p', key: 'k', version: 2n, value });
const PROPERTIES_SPACE = { ...SPACE, service: 'properties', name: 'table' };
const TEXTS: ReadonlySet<string> = new Set(['Edm.String', 'Edm.Guid', 'Edm.Binary']);

/** Names and texts by their length only. */
const vouched = (properties: readonly Property[]): unknown =>
  properties.map(({ type, value }) => [
    type,
    typeof value === 'string' || Buffer.isBuffer(value) ? value.length : value,
  ]);

test('a flipped bit of an entity is found unless it makes another text', () => {
  const sound = encodeEntity(PROPERTIES);
  assert.equal(inspectRow(SPACE, rowOf(sound)), undefined);
  let unseen = 0;
  for (let bit = 0; bit < 8 * sound.length; bit += 1) {
    const bytes = Buffer.from(sound);
    const at = bit >> 3;
    bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7));
    if (inspectRow(SPACE, rowOf(bytes)) !== undefined) continue;
    unseen += 1;
    const found = decodeEntity(bytes);
    assert.deepEqual(vouched(found), vouched(PROPERTIES), `bit ${bit}`);
    const others = found.filter(
      ({ type, value }, index) => !TEXTS.has(type) && !Object.is(value, PROPERTIES[index]?.value),
    );
    assert.deepEqual(others, [], `bit ${bit}`);
  }
  assert(unseen < 2 * sound.length, `${unseen} bits of ${8 * sound.length} are not seen.`);
});

test('an entity that is cut, lengthened, or holds a property twice is found', () => {
  const sound = encodeEntity(PROPERTIES);
  for (let length = 0; length < sound.length; length += 1) {
    assert.notEqual(inspectRow(SPACE, rowOf(sound.subarray(0, length))), undefined, `${length} bytes`);
  }
  assert.match(inspectRow(SPACE, rowOf(Buffer.concat([sound, Buffer.of(65)]))) ?? '', /different lengths/);
  const twice = encodeEntity([...PROPERTIES, ...PROPERTIES.slice(0, 1)]);
  assert.match(inspectRow(SPACE, rowOf(twice)) ?? '', /there twice/);
});

test('a finding names the property', () => {
  const bytes = encodeEntity(PROPERTIES);
  const at = bytes.indexOf('"Int64":"') + 9;
  bytes[at] = 0x38;
  assert.equal(
    inspectRow(SPACE, rowOf(bytes)),
    "its property 'Int64' is not in the form in which it is written.",
  );
});

test('an invalid entity key, and rows in a space without rows, are found', () => {
  const value = encodeEntity([]);
  assert.match(inspectRow(SPACE, { ...rowOf(value), key: 'a/b' }) ?? '', /character/);
  assert.match(inspectRow(PROPERTIES_SPACE, rowOf(value)) ?? '', /has no rows/);
});

test('metadata of tables, of services and of reserved names is checked', () => {
  assert.equal(inspectSpace(SPACE), undefined);
  const damaged: readonly (readonly [RegExp, Partial<Space>])[] = [
    [/also named 'Things'/, { name: 'thinks' }],
    [/cut short/, { metadata: SPACE.metadata.subarray(0, 5) }],
    [/cannot be read/, { metadata: SPACE.metadata.subarray(0, -1) }],
    [/metadata is damaged/, { metadata: Buffer.concat([SPACE.metadata, Buffer.from(' ')]) }],
    [/no service 'tabla'/, { service: 'tabla' }],
    [/held name/, { service: 'dropped table' }],
    [/cannot be read/, { ...PROPERTIES_SPACE, metadata: Buffer.from('{}') }],
  ];
  for (const [pattern, change] of damaged) assert.match(inspectSpace({ ...SPACE, ...change }) ?? '', pattern);
  const metadata = encodeServiceProperties(defaultServiceProperties);
  assert.equal(inspectSpace({ ...PROPERTIES_SPACE, metadata }), undefined);
  assert.equal(inspectSpace({ ...SPACE, service: 'dropped table', metadata: Buffer.alloc(8) }), undefined);
});
