// Each limit of the data model at limit - 1, limit and limit + 1 (protocol: data-model), and the order of the checks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EdmValue, Property } from './entity/edm.js';
import {
  BINARY_BYTES_MAX,
  checkEntity,
  checkPropertyName,
  checkTableName,
  ENTITY_BYTES_MAX,
  hasForbiddenCharacter,
} from './limits.js';
import type { TableErrorCode } from './table-error.js';
import { entityBytes } from './testing/edm.js';

const KEY = { partitionKey: 'p', rowKey: 'r' };
const text = (length: number, name = 'a'): Property => ({
  name,
  type: 'Edm.String',
  value: 'x'.repeat(length),
});
const binary = (bytes: number, name = 'a'): Property => ({
  name,
  type: 'Edm.Binary',
  value: Buffer.alloc(bytes),
});
const flag = (name: string): Property => ({ name, type: 'Edm.Boolean', value: true });
const flags = (count: number) => Array.from({ length: count }, (_, i) => flag(`p${i}`));

const passes = (properties: readonly Property[], key = KEY) => checkEntity(key, properties);
const fails = (code: TableErrorCode, properties: readonly Property[], key = KEY) =>
  assert.throws(() => checkEntity(key, properties), { name: 'TableError', code });

/** An entity of exactly this many bytes, whose values are all within their own limits. */
function entityOf(bytes: number): Property[] {
  const list: Property[] = [];
  const overheadOf = (name: string) => entityBytes(KEY, [...list, binary(0, name)]);
  for (let i = 10; entityBytes(KEY, list) < bytes; i++) {
    const name = `b${i}`;
    list.push(binary(Math.min(BINARY_BYTES_MAX, bytes - overheadOf(name)), name));
  }
  assert.equal(entityBytes(KEY, list), bytes);
  return list;
}

test('the size of an entity by the formula of the protocol', () => {
  const sizes: readonly (readonly [EdmValue, number])[] = [
    [{ type: 'Edm.String', value: '' }, 4],
    [{ type: 'Edm.String', value: 'é😀' }, 10],
    [{ type: 'Edm.Binary', value: Buffer.alloc(5) }, 9],
    [{ type: 'Edm.Boolean', value: true }, 1],
    [{ type: 'Edm.Int32', value: 1 }, 4],
    [{ type: 'Edm.Int64', value: 1n }, 8],
    [{ type: 'Edm.Double', value: 1 }, 8],
    [{ type: 'Edm.DateTime', value: 1n }, 8],
    [{ type: 'Edm.Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' }, 16],
  ];
  const empty = 4 + 2 * (2 + 3);
  const key = { partitionKey: 'ab', rowKey: 'cde' };
  assert.equal(entityBytes(key, []), empty);
  for (const [value, bytes] of sizes) {
    assert.equal(entityBytes(key, [{ name: 'née', ...value }]), empty + 8 + 2 * 3 + bytes, value.type);
  }
  const all = sizes.map(([value], i): Property => ({ name: `p${i}`, ...value }));
  const total = sizes.reduce((sum, [, bytes]) => sum + 8 + 2 * 2 + bytes, empty);
  assert.equal(entityBytes(key, all), total);
});

test('1 MiB of entity', () => {
  passes(entityOf(ENTITY_BYTES_MAX - 1));
  passes(entityOf(ENTITY_BYTES_MAX));
  fails('EntityTooLarge', entityOf(ENTITY_BYTES_MAX + 1));
});

test('252 properties', () => {
  passes(flags(251));
  passes(flags(252));
  fails('TooManyProperties', flags(253));
});

test('64 KiB of a value', () => {
  passes([text(32_767), binary(65_535, 'b')]);
  passes([text(32_768), binary(65_536, 'b')]);
  fails('PropertyValueTooLarge', [text(32_769)]);
  fails('PropertyValueTooLarge', [binary(65_537)]);
});

test('255 characters of a name', () => {
  passes([flag('n'.repeat(254))]);
  passes([flag('n'.repeat(255))]);
  fails('PropertyNameTooLong', [flag('n'.repeat(256))]);
});

test('1,024 characters of a key', () => {
  for (const length of [0, 1, 1023, 1024]) {
    const key = 'k'.repeat(length);
    passes([], { partitionKey: key, rowKey: key });
  }
  fails('PropertyValueTooLarge', [], { partitionKey: 'k'.repeat(1025), rowKey: '' });
  fails('PropertyValueTooLarge', [], { partitionKey: '', rowKey: 'k'.repeat(1025) });
});

test('the whole entity is checked first, then the count, then each property', () => {
  fails('EntityTooLarge', [binary(1_048_576)]);
  fails('EntityTooLarge', [...entityOf(ENTITY_BYTES_MAX), ...flags(253)]);
  fails('TooManyProperties', [...flags(252), text(32_769, 'long')]);
  fails('PropertyNameTooLong', [flag('n'.repeat(256)), text(32_769, 'long')]);
});

test('names of properties are C# identifiers', () => {
  for (const name of [
    'a',
    '_',
    '_1',
    'A1_',
    'été',
    '名前',
    '𠮷野',
    'ǅ',
    'Ⅷ',
    'a\u0301',
    'a\u200d',
    '__proto__',
  ])
    checkPropertyName(name);
  const wrong = [
    '',
    '1',
    '123',
    'a-b',
    'a b',
    'a.b',
    'a@b',
    '$a',
    "a'",
    'a\0',
    ' a',
    '\u0301a',
    'a😀',
    '😀',
    'a€',
  ];
  for (const name of wrong)
    assert.throws(() => checkPropertyName(name), { name: 'TableError', code: 'PropertyNameInvalid' }, name);
});

test('the forbidden characters of keys, one by one', () => {
  const isForbidden = (unit: number): boolean =>
    unit <= 0x1f ||
    (unit >= 0x7f && unit <= 0x9f) ||
    (unit >= 0xd800 && unit <= 0xdfff) ||
    '/\\#?'.includes(String.fromCharCode(unit));
  for (let unit = 0; unit <= 0xffff; unit++) {
    const key = `a${String.fromCharCode(unit)}b`;
    assert.equal(hasForbiddenCharacter(key), isForbidden(unit), unit.toString(16));
  }
  for (const key of ['', ' ', ' a ', "'", '"', '%', '+', '&', '😀', '\u{10ffff}', 'a%2Fb'])
    assert.equal(hasForbiddenCharacter(key), false, key);
});

test('names of tables: length before characters, and one that is reserved', () => {
  for (const name of ['abc', 'A1b', 'T'.repeat(63), 'Tables1']) checkTableName(name);
  const refused: readonly (readonly [string, TableErrorCode])[] = [
    ['', 'OutOfRangeInput:ResourceName'],
    ['aa', 'OutOfRangeInput:ResourceName'],
    ['1_', 'OutOfRangeInput:ResourceName'],
    ['a'.repeat(64), 'OutOfRangeInput:ResourceName'],
    ['-'.repeat(64), 'OutOfRangeInput:ResourceName'],
    ['1table', 'InvalidResourceName'],
    ['my_table', 'InvalidResourceName'],
    ['my-table', 'InvalidResourceName'],
    ['a//', 'InvalidResourceName'],
    ['été', 'InvalidResourceName'],
    ['abc\n', 'InvalidResourceName'],
    ['$MetricsHourPrimaryTransactionsTable', 'InvalidResourceName'],
    ['tables', 'InvalidInput'],
    ['TABLES', 'InvalidInput'],
  ];
  for (const [name, code] of refused)
    assert.throws(() => checkTableName(name), { name: 'TableError', code }, name);
});
