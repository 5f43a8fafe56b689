// Rows as entities: every type by the definition, and what happens where a row says otherwise. round-trip.test.ts has that what is written comes back.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codec, entity, Instant, key, t } from '../index.js';
import {
  decodeBag,
  decodeEntity,
  encodeBag,
  encodeEntity,
  readRow,
  refuseNewer,
  wireSelect,
  wireText,
} from '../internals.js';
import { Everything, schemaOf } from '../testing/law-entity.js';
import { refuses } from '../testing/refuses.js';
import { checkValue } from '../values/check-value.js';
import { coerce } from './coerce.js';
import type { DriftPolicy } from './drift.js';

describe('an entity', () => {
  test('goes over the wire with its types', () => {
    const encoded = encodeEntity(Everything, {
      group: 'Sales / North',
      number: 7,
      email: 'Jones@X.com',
      text: '"',
      small: -1,
      big: 9_007_199_254_740_993n,
      size: 3,
      open: true,
      at: Instant.parse('2017-11-10T02:44:47.6221962Z'),
      id: 'C9DA6455-213D-42C9-9A79-3E9149A57833',
      photo: new Uint8Array([0, 1, 2, 3, 4]).subarray(1, 3),
      home: { street: 'Elm' },
    });
    assert.equal(
      wireText(encoded),
      '{"PartitionKey":"Sales\\"1.1\\"1North!1","RowKey":"all!jones@x.0com!2147483655","EntityType":"Everything.1",' +
        '"email":"Jones@X.com","Text_1":"\\"","small":-1,"big@odata.type":"Edm.Int64","big":"9007199254740993",' +
        '"size@odata.type":"Edm.Double","size":3.0,"open":true,' +
        '"at@odata.type":"Edm.DateTime","at":"2017-11-10T02:44:47.6221962Z",' +
        '"id@odata.type":"Edm.Guid","id":"c9da6455-213d-42c9-9a79-3e9149a57833",' +
        '"photo@odata.type":"Edm.Binary","photo":"AQI=","home":"{\\"street\\":\\"Elm\\"}"}',
    );
  });
});

const Typed = entity('Typed', {
  version: 1,
  table: 'Typed',
  props: {
    k: t.string(),
    int: t.int32().optional(),
    long: t.int64().optional(),
    double: t.double().optional(),
    text: t.string().optional(),
    open: t.bool().optional(),
    at: t.instant().optional(),
    id: t.guid().optional(),
    bytes: t.bytes().optional(),
  },
  partition: key('p'),
  row: p => key(p.k),
});

const decode = (members: string, onDrift: DriftPolicy = 'throw') =>
  decodeEntity(Typed, readRow(`{"PartitionKey":"p","RowKey":"r",${members}}`), { onDrift }).value;

describe('a stored type', () => {
  test('that is narrower is widened', () => {
    assert.deepEqual(decode('"long":5'), { k: 'r', long: 5n });
    assert.deepEqual(decode('"double":5'), { k: 'r', double: 5 });
    assert.deepEqual(decode('"double":5.0'), { k: 'r', double: 5 });
    assert.deepEqual(decode('"double@odata.type":"Edm.Double","double":"NaN"'), {
      k: 'r',
      double: Number.NaN,
    });
    assert.deepEqual(decode('"double@odata.type":"Edm.Double","double":"-INF"'), {
      k: 'r',
      double: -Infinity,
    });
  });

  const DRIFTS: readonly (readonly [string, RegExp, object | undefined])[] = [
    ['"int":5.0', /Int32: it is stored as Double/, { int: 5 }],
    ['"int":5.5', /Int32: it is stored as Double/, undefined],
    ['"int":"5"', /stored as String/, { int: 5 }],
    ['"int":"5x"', /stored as String/, undefined],
    ['"int":"2147483648"', /stored as String/, undefined],
    ['"int@odata.type":"Edm.Int64","int":"5"', /stored as Int64/, { int: 5 }],
    ['"long":"5"', /stored as String/, { long: 5n }],
    ['"long":5.0', /stored as Double/, { long: 5n }],
    ['"long":9007199254740993.0', /stored as Double/, undefined],
    ['"double@odata.type":"Edm.Int64","double":"9007199254740993"', /stored as Int64/, undefined],
    ['"double":"1.5"', /stored as String/, { double: 1.5 }],
    ['"double":"9007199254740992"', /stored as String/, { double: 9_007_199_254_740_992 }],
    ['"double":"9007199254740993"', /stored as String/, undefined],
    ...['1e309', '9'.repeat(400)].map(text => [`"double":"${text}"`, /stored as String/, undefined] as const),
    ['"double":true', /stored as Boolean/, undefined],
    ['"text":5', /stored as Int32/, { text: '5' }],
    ['"text@odata.type":"Edm.Binary","text":"AQI="', /stored as Binary/, undefined],
    ['"open":"True"', /stored as String/, { open: true }],
    ['"open":0', /stored as Int32/, { open: false }],
    ['"open":2', /stored as Int32/, undefined],
    ['"at":"2017-11-10"', /stored as String/, { at: Instant.parse('2017-11-10') }],
    ['"at":"yesterday"', /stored as String/, undefined],
    [
      '"id":"C9DA6455-213D-42C9-9A79-3E9149A57833"',
      /stored as String/,
      { id: 'c9da6455-213d-42c9-9a79-3e9149a57833' },
    ],
    ['"id":"x"', /stored as String/, undefined],
    ['"bytes":"AQI="', /stored as String/, undefined],
  ];
  for (const [members, reason, coerced] of DRIFTS)
    test(`that is another is refused, or made fit if asked: ${members}`, () => {
      refuses(() => decode(members), 'TypeDrift', reason);
      if (coerced === undefined) refuses(() => decode(members, coerce), 'TypeDrift', reason);
      else assert.deepEqual(decode(members, coerce), { k: 'r', ...coerced });
    });

  test('is shown to who asked', () => {
    const value = decode('"int":5.0,"text":7', drift => (drift.property === 'int' ? coerce(drift) : 'seven'));
    assert.deepEqual(value, { k: 'r', int: 5, text: 'seven' });
    const seen: unknown[] = [];
    decode(
      '"int":"a"',
      drift => void seen.push([drift.entity, drift.property, drift.expected, drift.found, drift.value]),
    );
    assert.deepEqual(seen, [['Typed', 'int', 'Int32', 'String', 'a']]);
  });
});

describe('a property', () => {
  const Checked = entity('Checked', {
    version: 1,
    table: 'Checked',
    props: {
      k: t.string(),
      state: t
        .string()
        .check(
          schemaOf<'open' | 'shut'>(value => (value === 'open' || value === 'shut' ? undefined : 'no state')),
        ),
      home: t
        .json(schemaOf<{ street: string }>(value => (typeof value === 'object' ? undefined : 'no home')))
        .optional(),
    },
    partition: key('p'),
    row: p => key(p.k),
  });
  const read = (members: string, onDrift?: DriftPolicy) =>
    decodeEntity(Checked, readRow(`{"PartitionKey":"p","RowKey":"r",${members}}`), { onDrift }).value;

  test('must be there, unless it is optional', () => {
    refuses(() => read('"x":1'), 'TypeDrift', /Checked.state.*not there/);
    refuses(() => read('"state":null'), 'TypeDrift', /not there/);
    refuses(() => read('"x":1', coerce), 'TypeDrift', /not there/);
    assert.equal(read('"x":1', () => 'shut').state, 'shut');
  });

  test('must pass its check when it is read', () => {
    assert.equal(read('"state":"open"').state, 'open');
    refuses(() => read('"state":"ajar"'), 'TypeDrift', /no state/);
    refuses(() => read('"state":"ajar"', coerce), 'TypeDrift', /no state/);
    refuses(() => read('"state":"open","home":"5"'), 'TypeDrift', /no home/);
    refuses(() => read('"state":"open","home":"{"'), 'TypeDrift', /not JSON/);
    assert.deepEqual(read('"state":"open","home":"{\\"street\\":\\"Elm\\"}"').home, { street: 'Elm' });
  });

  test('may be called as something that objects have', () => {
    const Odd = entity('Odd', {
      version: 1,
      table: 'Odd',
      props: { constructor: t.string().optional(), toString: t.string().optional() },
      partition: key('p'),
      row: key('r'),
    });
    assert.deepEqual(decodeEntity(Odd, readRow('{"PartitionKey":"p","RowKey":"r"}')).value, {});
  });
});

describe('what the definition does not know', () => {
  test('is kept as it came, and goes back', () => {
    const text =
      '{"PartitionKey":"p","RowKey":"r","EntityType":"Typed.1","int":1,"whole":3.0,"huge@odata.type":"Edm.Int64","huge":"9007199254740993","note":"a\\"b","x":1.5}';
    const stored = decodeEntity(Typed, readRow(text));
    assert.deepEqual(
      stored.unknown.map(({ name, type, literal }) => [name, type, literal]),
      [
        ['whole', 'Double', '3.0'],
        ['huge', 'Int64', '"9007199254740993"'],
        ['note', 'String', '"a\\"b"'],
        ['x', 'Double', '1.5'],
      ],
    );
    const again = wireText(encodeEntity(Typed, { ...stored.value, int: 2 }, { extra: stored.unknown }));
    assert.deepEqual(decodeEntity(Typed, readRow(again)).unknown, stored.unknown);
    assert(again.includes('"whole@odata.type":"Edm.Double","whole":3.0'));
  });

  test('may be the whole row', () => {
    const row = readRow('{"PartitionKey":"p","RowKey":"r","EntityType":"Other.1"}');
    refuses(() => decodeEntity(Typed, row), 'WrongEntity', /of Other.1, not Typed/);
  });
});

describe('a bag', () => {
  test('comes back as it was', () => {
    const text =
      '{"PartitionKey":"p","RowKey":"r","a":"x","b":1,"c@odata.type":"Edm.Double","c":2.0,"d":true,"e@odata.type":"Edm.DateTime","e":"2020-01-01T00:00:00.0000001Z","f@odata.type":"Edm.Binary","f":"AQI=","__proto__":"y"}';
    const bag = decodeBag(readRow(text), { table: 'Tab' });
    assert.deepEqual(bag.properties.get('e'), {
      type: 'DateTime',
      value: Instant.parse('2020-01-01T00:00:00.0000001Z'),
    });
    assert.equal(wireText(encodeBag(bag)), text);
  });

  test('holds values of their types', () => {
    const properties = new Map([['a', { type: 'Int32', value: 'x' } as const]]);
    refuses(
      () => encodeBag({ table: 'Tab', partitionKey: 'p', rowKey: 'r', properties }),
      'ValueInvalid',
      /not a whole number/,
    );
  });
});

describe('a version', () => {
  const v1 = '"EntityType":"Staff.1","name":"Ann Lee","count":3,"legacy":7,"state":"x"';
  const Staff = entity('Staff', {
    version: 3,
    table: 'Staff',
    props: {
      k: t.string(),
      first: t.string().stored('First'),
      last: t.string(),
      count: t.int64(),
      tags: t.json(schemaOf<string[]>(value => (Array.isArray(value) ? undefined : 'no list'))),
    },
    partition: key('p'),
    row: p => key(p.k.as(codec.exact)),
    upcast: {
      1: ({ name, ...rest }) => {
        const [first, last] = String(name).split(' ');
        return { ...rest, first, last };
      },
      2: ({ state, ...rest }) => ({ ...rest, tags: [state] }),
    },
  });
  const stored = (members: string) =>
    decodeEntity(Staff, readRow(`{"PartitionKey":"p","RowKey":"r",${members}}`));

  test('that is older is brought up to date, step by step', () => {
    const { value, version, unknown } = stored(v1);
    assert.deepEqual(value, { k: 'r', first: 'Ann', last: 'Lee', count: 3n, tags: ['x'] });
    assert.equal(version, 1);
    assert.deepEqual(
      unknown.map(({ name }) => name),
      ['legacy'],
    );
    assert.deepEqual(
      stored('"EntityType":"Staff.2","First":"A","last":"B","count":1,"state":"y"').value.tags,
      ['y'],
    );
  });

  test('may change a value under its name', () => {
    const Twice = entity('Twice', {
      version: 2,
      table: 'Twice',
      props: { count: t.int32(), other: t.double() },
      partition: key('p'),
      row: key('r'),
      upcast: { 1: ({ count, ...rest }) => ({ ...rest, count: Number(count) * 2 }) },
    });
    const row = readRow('{"PartitionKey":"p","RowKey":"r","count":4,"other":1}');
    assert.deepEqual(decodeEntity(Twice, row).value, { count: 8, other: 1 });
  });

  test('that the row does not name is the first', () => {
    assert.equal(stored(v1.replace('"EntityType":"Staff.1",', '')).version, 1);
    assert.equal(stored(v1.replace('Staff.1', 'Staff')).version, 1);
  });

  test('is checked after it was brought up to date', () => {
    refuses(() => stored(v1.replace('"count":3', '"count":"3"')), 'TypeDrift', /count/);
    refuses(() => stored(v1.replace('Ann Lee', 'Ann')), 'TypeDrift', /last.*not there/);
    const Bad = entity('Bad', {
      version: 2,
      table: 'Bad',
      props: { a: t.int32() },
      partition: key('p'),
      row: key('r'),
      upcast: { 1: () => ({ a: 1, b: 2 }) },
    });
    refuses(
      () => decodeEntity(Bad, readRow('{"PartitionKey":"p","RowKey":"r"}')),
      'RowUnreadable',
      /an upcast gives it/,
    );
  });

  test('that is newer can be read, and is not replaced', () => {
    const newer = stored('"EntityType":"Staff.4","First":"A","last":"B","count":1,"tags":"[]","more":true');
    assert.equal(newer.version, 4);
    refuses(() => refuseNewer(Staff, newer), 'NewerVersion', /version 4.*knows 3/);
    refuseNewer(Staff, stored(v1));
    refuseNewer(Staff, { ...newer, version: 3 });
    assert.equal(wireSelect(Staff, ['first']), undefined);
  });
});

test('values are checked when they are written', () => {
  const faulty: readonly (readonly [keyof typeof Everything.props, unknown, RegExp])[] = [
    ['text', 5, /not a string/],
    ['small', 2 ** 31, /2\^31-1/],
    ['small', -(2 ** 31) - 1, /2\^31/],
    ['small', 1.5, /whole/],
    ['big', 5, /bigint/],
    ['big', 2n ** 63n, /2\^63-1/],
    ['big', -(2n ** 63n) - 1n, /2\^63/],
    ['size', '5', /not a number/],
    ['open', 1, /not a boolean/],
    ['at', new Date(0), /not an Instant/],
    ['at', Instant.parse('1600-12-31T23:59:59.9999999Z'), /before 1601/],
    ['id', 'x', /not a GUID/],
    ['photo', 'x', /not a Uint8Array/],
  ];
  for (const [name, value, reason] of faulty)
    refuses(() => checkValue(Everything.props[name], value, name), 'ValueInvalid', reason);
  assert.equal(checkValue(Everything.props.small, 2 ** 31 - 1, 'small'), 2 ** 31 - 1);
  assert.equal(checkValue(Everything.props.big, -(2n ** 63n), 'big'), -(2n ** 63n));
  const first = Instant.parse('1601-01-01');
  assert.equal(checkValue(Everything.props.at, first, 'at'), first);
});
