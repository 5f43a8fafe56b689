// The definition of indexes, in the partition of their rows and remote: what the compiler infers and refuses, and what is refused when a program starts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rebucketing } from '../bulk.js';
import { near } from '../derived/near/near.js';
import { remote } from '../derived/remote/remote.js';
import { codec, entity, type IndexEntity, type KeyOf, key, type Of, t } from '../index.js';
import { decodeEntity, readRow, wireText } from '../internals.js';
import { refusesDefinition } from '../testing/refuses.js';
import { same } from '../testing/same-type.js';
import { checkTable } from './check-table.js';
import type { LocalIndexName, RemoteIndexName } from './index-plan.js';
import { encodeIndexRow, expectedIndexRow, isIndexRow } from './index-row.js';

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
      kind: near,
      row: p => key('email', p.email.as(codec.lower)),
      unique: true,
      project: ['last'],
    },
    byName: { kind: near, row: p => key('name', p.last), project: 'all' },
    byNote: { kind: near, row: p => key('note', p.note) },
    farEmail: {
      kind: remote,
      table: 'StaffByEmail',
      partition: p => key(p.email.as(codec.lower)),
      row: key('e'),
      project: ['last'],
    },
    farName: { kind: remote, partition: p => key('far', p.last), row: key('far'), project: 'all' },
  },
});
type IndexOf<I extends keyof (typeof Employee)['indexes']> = IndexEntity<typeof Employee, I>;

const [byEmail, byName, byNote] = Employee.plan.indexes;
const [farEmail, farName] = Employee.plan.remoteIndexes;
assert(byEmail && byName && byNote && farEmail && farName);
const anna = { department: 'Sales', id: 7, email: 'Ann@X.org', last: 'Jones' };

interface EmailRow {
  readonly department: string;
  readonly id: number;
  readonly email: string;
  readonly last: string;
}

test('the types of indexes are inferred', () => {
  same<Of<IndexOf<'byEmail'>>, { readonly [K in keyof EmailRow]: EmailRow[K] }>(true);
  same<Of<IndexOf<'farEmail'>>, { readonly [K in keyof EmailRow]: EmailRow[K] }>(true);
  same<KeyOf<IndexOf<'byEmail'>>, { readonly department: string; readonly email: string }>(true);
  same<
    KeyOf<IndexOf<'farEmail'>>,
    { readonly email: string; readonly department: string; readonly id: number }
  >(true);
  same<Of<IndexOf<'byNote'>>, { readonly department: string; readonly id: number; readonly note: string }>(
    true,
  );
  type NameKey = { readonly department: string; readonly last: string; readonly id: number };
  same<KeyOf<IndexOf<'byName'>>, NameKey>(true);
  same<KeyOf<IndexOf<'farName'>>, NameKey>(true);
  same<Of<IndexOf<'byName'>>['email'], string | undefined>(true);
  same<Of<IndexOf<'farName'>>['email'], string | undefined>(true);
  same<Of<IndexOf<'byName'>>['last'], string>(true);
  same<RemoteIndexName<typeof Employee>, 'farEmail' | 'farName'>(true);
  same<LocalIndexName<typeof Employee>, 'byEmail' | 'byName' | 'byNote'>(true);
});

test('the types of indexes refuse what is not there', () => {
  const spec = { version: 1, table: 'Staff', props, partition: key('staff'), row: key('emp') } as const;
  const [partition, row] = [key('x'), key('x')];
  refusesDefinition(
    // @ts-expect-error no such property
    () => entity('E', { ...spec, indexes: { x: { kind: near, row, project: ['nix'] } } }),
    /nix is not a property of E/,
  );
  refusesDefinition(
    // @ts-expect-error no such property
    () => entity('E', { ...spec, indexes: { x: { kind: remote, partition, row, project: ['nix'] } } }),
    /nix is not a property of E/,
  );
  refusesDefinition(
    // @ts-expect-error bytes have no order
    () => entity('E', { ...spec, indexes: { x: { kind: near, row: p => key('x', p.photo) } } }),
    /E\.x\.row/,
  );
  refusesDefinition(
    // @ts-expect-error bytes have no order
    () => entity('E', { ...spec, indexes: { x: { kind: remote, partition: p => key(p.photo), row } } }),
    /E\.x\.partition/,
  );
  refusesDefinition(
    // @ts-expect-error no such kind
    () => entity('E', { ...spec, indexes: { x: { kind: 'distant', row } } }),
    /of the kind distant/,
  );
  // @ts-expect-error it needs a partition key
  assert.throws(() => entity('E', { ...spec, indexes: { x: { kind: remote, row } } }));
  refusesDefinition(
    () => entity('E', { ...spec, indexes: { x: { kind: remote, table: 'a-b', partition, row } } }),
    /a-b is not a name/,
  );
});

describe('an index', () => {
  const literals = (row: ReturnType<typeof encodeIndexRow>) =>
    row?.properties.map(({ name, literal }) => [name, literal]);

  test('has a row of the keys and what is projected, under its own name', () => {
    const row = encodeIndexRow(byEmail, { ...anna, note: 'no' });
    assert.deepEqual([row?.partitionKey, row?.rowKey], ['Sales', 'email!ann@x.0org']);
    assert.deepEqual(literals(row), [
      ['EntityType', '"Employee.byEmail.1"'],
      ['id', '7'],
      ['email', '"Ann@X.org"'],
      ['last', '"Jones"'],
    ]);
  });

  test('that is remote follows the rows to their table, unless it has a table of its own', () => {
    assert.equal(expectedIndexRow(Employee, farName, 'Other', anna)?.address.table, 'Other');
    refusesDefinition(() => expectedIndexRow(Employee, farEmail, 'Other', anna), /farEmail.*StaffByEmail/);
    assert.equal(expectedIndexRow(Employee, farEmail, 'staff', anna)?.address.table, 'StaffByEmail');
  });

  test('in the table of the rows is told from them by its keys', () => {
    const isOne = (partitionKey: string, rowKey: string): boolean =>
      isIndexRow([Employee], { table: 'Staff', partitionKey, rowKey });
    assert(isOne('far!Jones', 'far!Sales!emp!000007'));
    assert(!isOne('Sales', 'emp!000007'));
    assert(!isOne('ann@x.0org', 'e!Sales!emp!000007'));
    const Ranked = entity('Ranked', {
      version: 1,
      table: 'Staff',
      props: { id: t.int32(), rank: t.int32() },
      partition: key('all'),
      row: p => key('e', p.id),
      indexes: { byRank: { kind: remote, partition: key('all'), row: p => key(p.rank) } },
    });
    const isRank = (rowKey: string): boolean =>
      isIndexRow([Ranked], { table: 'Staff', partitionKey: 'all', rowKey });
    assert(isRank('2147483651!all!e!2147483649'));
    assert(!isRank('e!2147483649'));
  });

  test('has rows of an earlier version, which are brought up to date with what they have', () => {
    const spec = { table: 'Staff', partition: key('staff'), row: key('e') } as const;
    const Before = entity('Member', {
      ...spec,
      version: 1,
      props: { name: t.string() },
      indexes: { x: { kind: near, row: p => key('x', p.name), unique: true } },
    });
    const Now = entity('Member', {
      ...spec,
      version: 2,
      props: { name: t.string(), level: t.int32(), nick: t.string().optional() },
      upcast: { 1: old => ({ ...old, level: 1, nick: 'n' }) },
      indexes: { x: { kind: near, row: p => key('x', p.name), unique: true, project: ['nick'] } },
    });
    const [[before], [now]] = [Before.plan.indexes, Now.plan.indexes];
    assert(before && now);
    const row = encodeIndexRow(before, { name: 'Ann' });
    assert(row);
    const { value, version } = decodeEntity(now.entity, readRow(wireText(row)));
    assert.deepEqual([value, version], [{ name: 'Ann', nick: 'n' }, 1]);
  });
});

describe('definitions of indexes', () => {
  const last = key({ name: 'last', codec: undefined });
  const id = { name: 'id', codec: undefined } as const;
  const define = (indexes: object, row: object = key('e', id)) =>
    entity('E', {
      version: 1,
      table: 'Staff',
      props,
      partition: p => key(p.department),
      row: row as never,
      indexes: indexes as never,
    });
  const beginning = (literal: string) => ({ kind: near, row: key(literal, ...last.parts) });
  const own = { kind: remote, table: 'Own', partition: key('x'), row: key('e') } as const;

  const REFUSED: readonly (readonly [string, object, RegExp, row?: object])[] = [
    ['a row key may be that of a row', { x: beginning('e') }, /E\.row and E\.x\.row/],
    ['two may have one key', { x: beginning('x'), y: beginning('x') }, /E\.x\.row and E\.y\.row/],
    ['a remote key may be that of a row', { x: { ...own, table: undefined } }, /E\.row and E\.x\.row/],
    ['two may have one remote key', { x: own, y: { ...own, table: 'OWN' } }, /E\.x\.row and E\.y\.row/],
    ['the row key has no literal', { x: beginning('x') }, /E\.row/, key(id)],
    ['the key has no literal', { x: { kind: near, row: last } }, /E\.x\.row/, key('e')],
    [
      'a remote key in the table has no literal',
      { x: { ...own, table: undefined, partition: last } },
      /E\.x\.partition.*literal/,
    ],
    [
      'a remote key in the table, by another spelling, has no literal',
      { x: { ...own, table: 'STAFF', partition: last } },
      /E\.x\.partition.*literal/,
    ],
    [
      'the row key has no literal, and a remote key is unique',
      { x: { ...own, unique: true } },
      /E\.row.*literal/,
      key(id),
    ],
    [
      'buckets change',
      { x: { kind: near, row: key('x') } },
      /stay in their buckets/,
      key('e', { name: 'id', codec: codec.hash(4, rebucketing(2)) }, id),
    ],
  ];
  for (const [why, indexes, reason, row] of REFUSED)
    test(`are refused where ${why}`, () => refusesDefinition(() => define(indexes, row), reason));

  test('are taken where remote keys are apart, whatever the row key is', () => {
    define({ x: own });
    define({ x: own, y: { ...own, partition: key('y') } });
    define({ x: { ...own, partition: last } });
    define({ x: own }, key(id));
    const { plan } = define({ x: { ...own, unique: true } });
    const [unique] = plan.remoteIndexes;
    assert.deepEqual([unique?.unique, unique?.entity.plan.row.names], [true, []]);
  });

  test("are refused beside another entity's rows that may have their keys", () => {
    const spec = { version: 1, props } as const;
    const Indexed = define({ x: beginning('x') });
    const [apart, taken] = ['o', 'x'].map(literal =>
      entity('Other', {
        ...spec,
        table: 'Staff',
        partition: p => key(p.department),
        row: p => key(literal, p.id),
      }),
    );
    assert(apart && taken);
    checkTable([Indexed, apart]);
    refusesDefinition(() => checkTable([Indexed, taken]), /E\.x and Other/);
    const byLast = { ...spec, table: 'StaffByEmail', partition: last } as const;
    checkTable([Employee, entity('Other', { ...byLast, row: p => key(p.id.as(codec.int(3))) })]);
    const Same = entity('Same', { ...byLast, row: key('e', 'x') });
    refusesDefinition(() => checkTable([Employee, Same]), /farEmail and Same/);
  });
});
