// The definition of indexes: what the compiler infers and refuses, and what is refused when a program starts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rebucketing } from '../bulk.js';
import { codec, entity, type IndexEntity, type KeyOf, key, type Of, t } from '../index.js';
import { decodeEntity, readRow, wireText } from '../internals.js';
import { refusesDefinition } from '../testing/refuses.js';
import { same } from '../testing/same-type.js';
import { checkTable } from './check-table.js';
import { encodeIndexRow } from './index-row.js';

const props = {
  department: t.string(),
  id: t.int32(),
  email: t.string().optional(),
  last: t.string(),
  note: t.string().optional(),
  photo: t.bytes().optional(),
};

const Employee = entity('Employee', {
  version: 1,
  table: 'Staff',
  props,
  partition: p => key(p.department),
  row: p => key('emp', p.id.as(codec.int(6))),
  indexes: {
    byEmail: {
      kind: 'same-partition',
      row: p => key('email', p.email.as(codec.lower)),
      unique: true,
      project: ['last'],
    },
    byName: { kind: 'same-partition', row: p => key('name', p.last), project: 'all' },
    byNote: { kind: 'same-partition', row: p => key('note', p.note) },
  },
});
type ByEmail = IndexEntity<typeof Employee, 'byEmail'>;
type ByName = IndexEntity<typeof Employee, 'byName'>;
type ByNote = IndexEntity<typeof Employee, 'byNote'>;

const [byEmail, byName, byNote] = Employee.plan.indexes;
assert(byEmail && byName && byNote);

describe('types of indexes', () => {
  test('are inferred', () => {
    same<
      Of<ByEmail>,
      { readonly department: string; readonly id: number; readonly email: string; readonly last: string }
    >(true);
    same<KeyOf<ByEmail>, { readonly department: string; readonly email: string }>(true);
    same<Of<ByNote>, { readonly department: string; readonly id: number; readonly note: string }>(true);
    same<KeyOf<ByName>, { readonly department: string; readonly last: string; readonly id: number }>(true);
    same<Of<ByName>['email'], string | undefined>(true);
    same<Of<ByName>['last'], string>(true);
  });

  test('refuse what is not there', () => {
    const spec = { version: 1, table: 'Staff', props, partition: key('staff'), row: key('emp') } as const;
    refusesDefinition(
      () =>
        // @ts-expect-error no such property
        entity('E', { ...spec, indexes: { x: { kind: 'same-partition', row: key('x'), project: ['nix'] } } }),
      /nix is not a property of E/,
    );
    refusesDefinition(
      () =>
        entity('E', {
          ...spec,
          // @ts-expect-error bytes have no order
          indexes: { x: { kind: 'same-partition', row: p => key('x', p.photo) } },
        }),
      /E\.x\.row/,
    );
    refusesDefinition(
      // @ts-expect-error no such kind
      () => entity('E', { ...spec, indexes: { x: { kind: 'distant', row: key('x') } } }),
      /of the kind distant/,
    );
  });
});

describe('an index', () => {
  const anna = { department: 'Sales', id: 7, email: 'Ann@X.org', last: 'Jones' };

  test('has a row of the keys and what is projected, under its own name', () => {
    const row = encodeIndexRow(byEmail, { ...anna, note: 'no' });
    assert.equal(row?.partitionKey, 'Sales');
    assert.equal(row?.rowKey, 'email!ann@x.0org');
    assert.deepEqual(
      row?.properties.map(({ name, literal }) => [name, literal]),
      [
        ['EntityType', '"Employee.byEmail.1"'],
        ['id', '7'],
        ['email', '"Ann@X.org"'],
        ['last', '"Jones"'],
      ],
    );
  });

  test('that is not unique has the row key behind its own', () => {
    assert.equal(encodeIndexRow(byName, anna)?.rowKey, 'name!Jones!emp!000007');
    assert.deepEqual(byName.entity.plan.row.decode('name!Jones!emp!000007'), { last: 'Jones', id: 7 });
  });

  test('has no row of a value without a part of its key', () => {
    assert.equal(encodeIndexRow(byNote, anna), undefined);
    assert.equal(encodeIndexRow(byNote, { ...anna, note: 'n' })?.rowKey, 'note!n!emp!000007');
  });
});

describe('definitions of indexes', () => {
  const spec = { version: 1, table: 'Staff', props, partition: key('staff') } as const;

  test('are refused where rows of two could have one key', () => {
    refusesDefinition(
      () =>
        entity('E', {
          ...spec,
          row: p => key('e', p.id),
          indexes: { x: { kind: 'same-partition', row: p => key('e', p.last) } },
        }),
      /E\.row and E\.x\.row/,
    );
    refusesDefinition(
      () =>
        entity('E', {
          ...spec,
          row: p => key('e', p.id),
          indexes: {
            x: { kind: 'same-partition', row: p => key('x', p.last) },
            y: { kind: 'same-partition', row: p => key('x', p.note) },
          },
        }),
      /E\.x\.row and E\.y\.row/,
    );
  });

  test('are refused without a literal at the beginning', () => {
    const x = { kind: 'same-partition', row: key('x') } as const;
    refusesDefinition(() => entity('E', { ...spec, row: p => key(p.id), indexes: { x } }), /E\.row/);
    refusesDefinition(
      () =>
        entity('E', {
          ...spec,
          row: key('e'),
          indexes: { x: { kind: 'same-partition', row: p => key(p.last) } },
        }),
      /E\.x\.row/,
    );
  });

  test('are refused with buckets that change', () => {
    refusesDefinition(
      () =>
        entity('E', {
          ...spec,
          row: p => key('e', p.id.as(codec.hash(4, rebucketing(2))), p.id),
          indexes: { x: { kind: 'same-partition', row: key('x') } },
        }),
      /stay in their buckets/,
    );
  });
});

test("entities of one table may not have keys of each other's indexes", () => {
  const spec = { version: 1, table: 'Staff', props, partition: key('staff') } as const;
  const Indexed = entity('Indexed', {
    ...spec,
    row: p => key('e', p.id),
    indexes: { x: { kind: 'same-partition', row: p => key('x', p.last) } },
  });
  const Other = entity('Other', { ...spec, row: p => key('x', p.id) });
  refusesDefinition(() => checkTable([Indexed, Other]), /Indexed\.x and Other/);
  checkTable([Indexed, entity('Other', { ...spec, row: p => key('o', p.id) })]);
});

test('an index row of an earlier version is brought up to date with what it has', () => {
  const spec = { table: 'Staff', partition: key('staff'), row: key('e') } as const;
  const Before = entity('Member', {
    ...spec,
    version: 1,
    props: { name: t.string() },
    indexes: { x: { kind: 'same-partition', row: p => key('x', p.name), unique: true } },
  });
  const Now = entity('Member', {
    ...spec,
    version: 2,
    props: { name: t.string(), level: t.int32(), nick: t.string().optional() },
    upcast: { 1: old => ({ ...old, level: 1, nick: 'n' }) },
    indexes: {
      x: { kind: 'same-partition', row: p => key('x', p.name), unique: true, project: ['nick'] },
    },
  });
  const [before] = Before.plan.indexes;
  const [now] = Now.plan.indexes;
  assert(before && now);
  const row = encodeIndexRow(before, { name: 'Ann' });
  assert(row);
  const { value, version } = decodeEntity(now.entity, readRow(wireText(row)));
  assert.deepEqual([value, version], [{ name: 'Ann', nick: 'n' }, 1]);
});
