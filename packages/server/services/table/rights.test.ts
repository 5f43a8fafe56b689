// Which grant covers which operation, and with which code the others are refused (protocol: sas#rights-of-tables, sas#refusals).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#account';
import type { OperationKind } from '#tables';
import { authorize } from '../../auth/authorize.js';
import type { Grant } from '../../auth/grant.js';
import type { Role } from '../../auth/roles.js';
import { authorizeKey, keyRangeOf } from './admit.js';
import { TABLE_SERVICE } from './table-service.js';

const KINDS = Object.keys(TABLE_SERVICE.rights) as OperationKind[];
const account = (resourceTypes: string, permission: string): Grant => ({
  kind: 'accountSas',
  resourceTypes,
  permission,
});
const table = (permission: string, name = 'Table1'): Grant => ({
  kind: 'serviceSas',
  resource: name,
  permission,
  range: undefined,
});

/** The code of the refusal, or `ok`. */
function outcome(grant: Grant, kind: OperationKind, name: string | undefined = 'table1'): string {
  try {
    authorize(TABLE_SERVICE, grant, kind, name);
    return 'ok';
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message;
  }
}
const allowed = (grant: Grant) => KINDS.filter(kind => outcome(grant, kind) === 'ok').sort();
const sorted = (kinds: readonly OperationKind[]) => [...kinds].sort();

test('the owner may do everything', () => {
  assert.deepEqual(allowed({ kind: 'owner' }), sorted(KINDS));
});

test('an account signature by resource type and letter', () => {
  const cases: readonly (readonly [string, string, readonly OperationKind[]])[] = [
    ['s', 'r', ['getServiceProperties', 'getServiceStats']],
    ['s', 'w', ['setServiceProperties']],
    ['c', 'l', ['queryTables', 'getTable']],
    ['c', 'c', ['createTable']],
    ['c', 'w', ['createTable']],
    ['c', 'd', ['deleteTable']],
    ['c', 'ra', []],
    ['o', 'r', ['getEntity', 'queryEntities']],
    ['o', 'a', ['insertEntity']],
    ['o', 'u', ['updateEntity', 'mergeEntity']],
    ['o', 'd', ['deleteEntity']],
    [
      'o',
      'ua',
      ['insertEntity', 'updateEntity', 'mergeEntity', 'insertOrReplaceEntity', 'insertOrMergeEntity'],
    ],
    ['o', 'wlc', []],
  ];
  for (const [types, letters, kinds] of cases) {
    assert.deepEqual(
      allowed(account(types, letters)),
      sorted([...kinds, 'submitTransaction']),
      types + letters,
    );
  }
  const all = KINDS.filter(kind => kind !== 'getTableAcl' && kind !== 'setTableAcl');
  assert.deepEqual(allowed(account('sco', 'rwdlacu')), sorted(all));
});

test('a table signature by letter', () => {
  const cases: readonly (readonly [string, readonly OperationKind[]])[] = [
    ['r', ['getEntity', 'queryEntities']],
    ['a', ['insertEntity']],
    ['u', ['updateEntity', 'mergeEntity']],
    ['d', ['deleteEntity']],
    ['au', ['insertEntity', 'updateEntity', 'mergeEntity', 'insertOrReplaceEntity', 'insertOrMergeEntity']],
  ];
  for (const [letters, kinds] of cases) {
    assert.deepEqual(allowed(table(letters)), sorted([...kinds, 'submitTransaction']), letters);
  }
});

test('a table signature is for the entities of its table, whatever the case of the name', () => {
  assert.equal(outcome(table('raud', 'TABLE1'), 'insertEntity', 'taBle1'), 'ok');
  assert.equal(outcome(table('raud'), 'insertEntity', 'table2'), 'AuthorizationFailure');
  assert.equal(outcome(table('raud'), 'insertEntity', 'table'), 'AuthorizationFailure');
  assert.equal(outcome(table('raud'), 'submitTransaction', undefined), 'ok');
  const others = ['createTable', 'deleteTable', 'queryTables', 'getTable', 'getServiceProperties'] as const;
  for (const kind of [...others, 'setServiceProperties', 'getServiceStats'] as const) {
    assert.equal(outcome(table('raud'), kind, undefined), 'AuthorizationFailure', kind);
    assert.equal(outcome(table('raud'), kind), 'AuthorizationFailure', kind);
  }
});

test('access policies need a key of the account', () => {
  for (const kind of ['getTableAcl', 'setTableAcl'] as const) {
    assert.equal(outcome(account('sco', 'rwdlacu'), kind), 'AuthorizationFailure');
    assert.equal(outcome(table('raud'), kind), 'AuthorizationFailure');
  }
});

test('of two things that are wrong, the first in order is told', () => {
  assert.equal(outcome(account('o', 'd'), 'createTable'), 'AuthorizationResourceTypeMismatch');
  assert.equal(outcome(account('c', 'd'), 'createTable'), 'AuthorizationPermissionMismatch');
  assert.equal(outcome(account('s', 'r'), 'setTableAcl'), 'AuthorizationFailure');
  assert.equal(outcome(table('r'), 'insertEntity', 'table2'), 'AuthorizationFailure');
  assert.equal(outcome(table('r'), 'insertEntity'), 'AuthorizationPermissionMismatch');
});

test('keys outside of the range: reads find nothing, writes are refused', () => {
  const range = { from: { partition: 'b', key: '' }, until: { partition: 'b\0', key: '' } };
  const grant: Grant = { kind: 'serviceSas', resource: 't', permission: 'raud', range };
  const outside = { partitionKey: 'a', rowKey: '' };
  authorizeKey(grant, 'deleteEntity', { partitionKey: 'b', rowKey: 'x' });
  assert.throws(() => authorizeKey(grant, 'getEntity', outside), { code: 'ResourceNotFound' });
  for (const kind of ['insertEntity', 'insertOrMergeEntity', 'deleteEntity'] as const) {
    assert.throws(() => authorizeKey(grant, kind, outside), { code: 'AuthorizationFailure' }, kind);
  }
  assert.equal(keyRangeOf(grant), range);
});

test('other grants have no range', () => {
  for (const grant of [{ kind: 'owner' } as const, account('o', 'd'), table('d')]) {
    assert.equal(keyRangeOf(grant), undefined);
    authorizeKey(grant, 'deleteEntity', { partitionKey: '', rowKey: '' });
  }
});

test('roles of a bearer token allow their actions', () => {
  const allowed = (role: Role, kind: OperationKind, policies = false): string => {
    try {
      const version = policies ? '2025-07-05' : '2020-12-06';
      authorize(TABLE_SERVICE, { kind: 'bearer', roles: [role], version }, kind, 'T');
      return 'allowed';
    } catch (error) {
      assert.ok(error instanceof ServiceError);
      return error.code;
    }
  };
  const cases: readonly (readonly [Role, OperationKind, string])[] = [
    ['Storage Table Data Reader', 'getEntity', 'allowed'],
    ['Storage Table Data Reader', 'queryTables', 'allowed'],
    ['Storage Table Data Reader', 'insertEntity', 'AuthorizationPermissionMismatch'],
    ['Storage Table Data Reader', 'deleteTable', 'AuthorizationPermissionMismatch'],
    ['Storage Table Data Contributor', 'insertOrMergeEntity', 'allowed'],
    ['Storage Table Data Contributor', 'createTable', 'allowed'],
    ['Storage Table Data Contributor', 'submitTransaction', 'allowed'],
    ['Storage Table Data Contributor', 'getServiceProperties', 'AuthorizationPermissionMismatch'],
    ['Storage Account Contributor', 'setServiceProperties', 'allowed'],
    ['Storage Account Contributor', 'getTableAcl', 'ResourceNotFound'],
  ];
  for (const [role, kind, outcome] of cases) assert.equal(allowed(role, kind), outcome, `${role} ${kind}`);
  assert.equal(allowed('Storage Table Data Reader', 'getTableAcl', true), 'allowed');
  assert.equal(allowed('Storage Table Data Reader', 'setTableAcl', true), 'AuthorizationPermissionMismatch');
  assert.equal(allowed('Storage Table Data Contributor', 'setTableAcl', true), 'allowed');
  assert.equal(allowed('Storage Table Data Contributor', 'setTableAcl'), 'ResourceNotFound');
});
