// Rows of several entities, rows of none, and what entities of one table must have apart.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codec, entity, Instant, type Key, key, PatternError, part, t } from '../index.js';
import { decodeBag, decodeMixed, encodeBag, readRow, wireText } from '../internals.js';
import { checkTable } from '../mixed.js';

const Employee = entity('Employee', {
  version: 1,
  table: 'Staff',
  props: { department: t.string(), id: t.int32(), name: t.string() },
  partition: p => key(p.department),
  row: p => key('emp', p.id.as(codec.int(6))),
});
const Department = entity('Department', {
  version: 2,
  table: 'Staff',
  props: { department: t.string(), floor: t.int32() },
  partition: p => key(p.department),
  row: key('dept'),
  upcast: { 1: old => ({ ...old, floor: 0 }) },
});

const row = (rowKey: string, members: string) =>
  readRow(`{"PartitionKey":"Sales","RowKey":"${rowKey}",${members}}`);

describe('rows of several entities', () => {
  const read = (rowKey: string, members: string) => decodeMixed([Employee, Department], row(rowKey, members));

  test('are what their tags say', () => {
    const employee = read('emp!000001', '"EntityType":"Employee.1","name":"Ann"');
    assert.equal(employee.entity, 'Employee');
    // The compiler knows by the name which value it is.
    if (employee.entity === 'Employee') assert.equal(employee.value.name, 'Ann');
    const department = read('dept', '"EntityType":"Department.2","floor":3');
    if (department.entity === 'Department') assert.equal(department.value.floor, 3);
    assert.equal(read('dept', '"EntityType":"Department.1"').entity, 'Department');
  });

  test('are bags if nobody knows them', () => {
    const bag = read('x', '"EntityType":"Robot.7","whole":3.0,"arms@odata.type":"Edm.Int64","arms":"4"');
    assert.equal(bag.entity, undefined);
    assert(bag.entity === undefined);
    assert.equal(bag.tag, 'Robot.7');
    assert.deepEqual(bag.properties.get('whole'), { type: 'Double', value: 3 });
    assert.deepEqual(bag.properties.get('arms'), { type: 'Int64', value: 4n });
  });

  test('without tags are known by the literals of their keys, or by who is asked', () => {
    assert.equal(read('emp!000001', '"name":"Ann"').entity, 'Employee');
    assert.equal(read('dept', '"floor":1').entity, 'Department');
    assert.equal(read('dept2', '"floor":1').entity, undefined);
    const asked = (name: string | undefined) =>
      decodeMixed([Employee, Department], row('emp!000001', '"name":"Ann"'), {
        resolve: bag => (bag.properties.has('name') ? name : undefined),
      });
    assert.equal(asked('Employee').entity, 'Employee');
    assert.equal(asked(undefined).entity, undefined);
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
    assert.throws(
      () => encodeBag({ table: 'Tab', partitionKey: 'p', rowKey: 'r', properties }),
      (thrown: unknown) => PatternError.is(thrown, 'ValueInvalid'),
    );
  });
});

describe('entities of one table', () => {
  const props = { a: t.string(), n: t.int32(), id: t.guid() };
  const of = (
    name: string,
    partition: Key<readonly ('x' | ReturnType<typeof part<'a'>>)[]>,
    rowKey: unknown,
    table = 'Tab',
  ) => entity(name, { version: 1, table, props, partition, row: rowKey as typeof partition });
  const everyone = key(part('a'));
  const pairs: readonly (readonly [unknown, unknown, boolean])[] = [
    [key('rev', part('a')), key('emp', part('a')), true],
    [key('rev', part('a')), key('rev', part('n')), false],
    [key('rev', part('a')), key('review', part('a')), true],
    [key('rev', part('a')), key('rev'), true],
    [key('rev'), key('rev'), false],
    [key(part('a')), key('rev'), false],
    [key(part('a')), key(part('n')), false],
    // As in the design guide: employees by number, their reviews behind a word.
    [key(part('n', codec.int(6))), key('rev', part('n')), true],
    [key(part('n', codec.int(6))), key('7up'), false],
    [key(part('id')), key('xrev', part('n')), true],
    [key(part('id')), key('dept', part('n')), false],
    [key('a', part('a')).joinedBy('_'), key('a_b'), false],
    [key('a', part('a')).joinedBy('_'), key('b_b'), true],
  ];
  for (const [a, b, isFine] of pairs)
    test(`${isFine ? 'may' : 'may not'} have the keys ${JSON.stringify([a, b].map(each => (each as Key).parts.map(p => (typeof p === 'string' ? p : `{${p.name}}`)).join((each as Key).separator)))}`, () => {
      const check = () => checkTable([of('A', everyone, a), of('B', everyone, b)]);
      if (isFine) check();
      else assert.throws(check, /both may have the same keys/);
      checkTable([of('A', everyone, a, 'One'), of('B', everyone, b, 'Two')]);
      checkTable([of('A', key('x', part('a')) as never, a), of('B', key('y', part('a')) as never, b)]);
    });

  test('have names and one property for their tags', () => {
    assert.throws(() => checkTable([of('A', everyone, key('a')), of('A', everyone, key('b'))]), /one name/);
    const untagged = entity('B', {
      version: 1,
      table: 'Tab',
      props,
      partition: everyone,
      row: key('b'),
      tag: false,
    });
    assert.throws(() => checkTable([of('A', everyone, key('a')), untagged]), /by the same property/);
  });
});
