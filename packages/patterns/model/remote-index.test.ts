// The definition of indexes in other partitions and tables: what the compiler infers and refuses, and what is refused when a program starts.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { remote } from '../derived/remote/remote.js';
import { codec, entity, type IndexEntity, type KeyOf, key, type Of, t } from '../index.js';
import { refusesDefinition } from '../testing/refuses.js';
import { same } from '../testing/same-type.js';
import { checkTable } from './check-table.js';
import type { LocalIndexName, RemoteIndexName } from './index-plan.js';
import { expectedIndexRow, isIndexRow } from './index-row.js';

const props = {
  department: t.string(),
  id: t.int32(),
  email: t.string().optional(),
  last: t.string(),
  photo: t.bytes().optional(),
};

const Employee = entity('Employee', {
  version: 1,
  table: 'Staff',
  props,
  partition: p => key(p.department),
  row: p => key('emp', p.id.as(codec.int(6))),
  indexes: {
    byId: { kind: 'same-partition', row: p => key('id', p.id) },
    byEmail: {
      kind: remote,
      table: 'StaffByEmail',
      partition: p => key(p.email.as(codec.lower)),
      row: key('e'),
      project: ['last'],
    },
    byName: { kind: remote, partition: p => key('name', p.last), row: key('name'), project: 'all' },
  },
});
type ByEmail = IndexEntity<typeof Employee, 'byEmail'>;
type ByName = IndexEntity<typeof Employee, 'byName'>;

const [byEmail, byName] = Employee.plan.remoteIndexes;
assert(byEmail && byName);
const anna = { department: 'Sales', id: 7, email: 'Ann@X.org', last: 'Jones' };

describe('types of remote indexes', () => {
  test('are inferred', () => {
    same<
      Of<ByEmail>,
      { readonly department: string; readonly id: number; readonly email: string; readonly last: string }
    >(true);
    same<KeyOf<ByEmail>, { readonly email: string; readonly department: string; readonly id: number }>(true);
    same<KeyOf<ByName>, { readonly last: string; readonly department: string; readonly id: number }>(true);
    same<Of<ByName>['email'], string | undefined>(true);
    same<RemoteIndexName<typeof Employee>, 'byEmail' | 'byName'>(true);
    same<LocalIndexName<typeof Employee>, 'byId'>(true);
  });

  test('refuse what is not there', () => {
    const spec = { version: 1, table: 'Staff', props, partition: key('staff'), row: key('emp') } as const;
    const [partition, row] = [key('x'), key('x')];
    refusesDefinition(
      () =>
        // @ts-expect-error no such property
        entity('E', { ...spec, indexes: { x: { kind: remote, partition, row, project: ['nix'] } } }),
      /nix is not a property of E/,
    );
    refusesDefinition(
      () =>
        entity('E', {
          ...spec,
          // @ts-expect-error bytes have no order
          indexes: { x: { kind: remote, partition: p => key('x', p.photo), row } },
        }),
      /E\.x\.partition/,
    );
    // @ts-expect-error it needs a partition key
    assert.throws(() => entity('E', { ...spec, indexes: { x: { kind: remote, row } } }));
    refusesDefinition(
      () => entity('E', { ...spec, indexes: { x: { kind: remote, table: 'a-b', partition, row } } }),
      /a-b is not a name/,
    );
  });
});

describe('a remote index', () => {
  test('has a row under its own keys, with both keys of the row behind', () => {
    const expected = expectedIndexRow(Employee, byEmail, 'Staff', anna);
    assert.deepEqual(expected?.address, {
      table: 'StaffByEmail',
      partitionKey: 'ann@x.0org',
      rowKey: 'e!Sales!emp!000007',
    });
    assert.deepEqual(
      expected?.row.properties.map(({ name, literal }) => [name, literal]),
      [
        ['EntityType', '"Employee.byEmail.1"'],
        ['email', '"Ann@X.org"'],
        ['last', '"Jones"'],
      ],
    );
    assert.equal(expectedIndexRow(Employee, byEmail, 'Staff', { ...anna, email: undefined }), undefined);
  });

  test('follows the rows to their table, unless it has a table of its own', () => {
    assert.equal(expectedIndexRow(Employee, byName, 'Other', anna)?.address.table, 'Other');
    refusesDefinition(() => expectedIndexRow(Employee, byEmail, 'Other', anna), /byEmail.*StaffByEmail/);
    assert.equal(expectedIndexRow(Employee, byEmail, 'staff', anna)?.address.table, 'StaffByEmail');
  });

  test('in the table of the rows is told from them by its keys', () => {
    const isOne = (partitionKey: string, rowKey: string): boolean =>
      isIndexRow([Employee], { table: 'Staff', partitionKey, rowKey });
    assert(isOne('name!Jones', 'name!Sales!emp!000007'));
    assert(!isOne('Sales', 'emp!000007'));
    assert(!isOne('ann@x.0org', 'e!Sales!emp!000007'));
  });
});

describe('definitions of remote indexes', () => {
  const define = (indexes: object): unknown =>
    entity('E', {
      version: 1,
      table: 'Staff',
      props,
      partition: p => key(p.department),
      row: p => key('e', p.id),
      indexes: indexes as never,
    });

  test('are refused where two rows could have one key', () => {
    refusesDefinition(
      () => define({ x: { kind: remote, partition: key('x'), row: key('e') } }),
      /E\.row and E\.x\.row/,
    );
    define({ x: { kind: remote, table: 'Own', partition: key('x'), row: key('e') } });
    const own = { kind: remote, table: 'Own', partition: key('x'), row: key('e') } as const;
    refusesDefinition(() => define({ x: own, y: { ...own, table: 'OWN' } }), /E\.x\.row and E\.y\.row/);
    define({ x: own, y: { ...own, partition: key('y') } });
  });

  test('are refused in the table of the rows without a literal', () => {
    const x = { kind: remote, partition: [], row: key('x') };
    const partition = key({ name: 'last', codec: undefined });
    refusesDefinition(() => define({ x: { ...x, partition } }), /E\.x\.partition.*literal/);
    refusesDefinition(() => define({ x: { ...x, partition, table: 'STAFF' } }), /E\.x\.partition.*literal/);
    define({ x: { ...x, partition, table: 'Own' } });
  });

  test('need no literal in the row key of the entity', () => {
    const partition = key('staff');
    const indexes = { x: { kind: remote, table: 'Own', partition: key('x'), row: key('x') } } as const;
    const spec = { version: 1, table: 'Staff', props, partition } as const;
    entity('E', { ...spec, row: p => key(p.id), indexes });
    const unique = { x: { ...indexes.x, unique: true } } as const;
    refusesDefinition(
      () => entity('E', { ...spec, row: p => key(p.id), indexes: unique }),
      /E\.row.*literal/,
    );
    const { plan } = entity('E', { ...spec, row: p => key('e', p.id), indexes: unique });
    assert.deepEqual(
      [plan.remoteIndexes[0]?.unique, plan.remoteIndexes[0]?.entity.plan.row.names],
      [true, []],
    );
  });

  test("are refused beside another entity's rows", () => {
    const Other = entity('Other', {
      version: 1,
      table: 'StaffByEmail',
      props,
      partition: p => key(p.last),
      row: p => key(p.id.as(codec.int(3))),
    });
    checkTable([Employee, Other]);
    const Same = entity('Same', {
      version: 1,
      table: 'StaffByEmail',
      props,
      partition: p => key(p.last),
      row: key('e', 'x'),
    });
    refusesDefinition(() => checkTable([Employee, Same]), /byEmail and Same/);
  });
});
