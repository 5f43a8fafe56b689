// Which grant covers which operation of each service, and with which code the others are refused (protocol:
// sas#rights-of-tables, sas#rights-of-queues, sas#rights-of-blobs, sas#refusals, authentication#roles,
// blob-requests#public-access).
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AuthorizationProtocol } from '../auth/auth-protocol.js';
import { authorize } from '../auth/authorize.js';
import type { Grant } from '../auth/grant.js';
import type { Role } from '../auth/roles.js';
import { BLOB_AUTHORIZATION } from './blob/admit.js';
import { isOpenToAll } from './blob/rights.js';
import { QUEUE_SERVICE } from './queue/queue-service.js';
import { authorizeKey, keyRangeOf, TABLE_AUTHORIZATION } from './table/admit.js';

/** Kinds of operations by the letter of a permission. */
type ByLetter = Readonly<Record<string, readonly string[]>>;

interface Expected {
  readonly authorization: AuthorizationProtocol;
  /** As a signature names it, and operations do. */
  readonly resource: string;
  /** What every signature and token may do. */
  readonly anyone: readonly string[];
  /** What an account's signature of any type and letter may do. */
  readonly anyAccount?: readonly string[];
  /** An account's signature, by its resource type. */
  readonly account: Readonly<Record<'s' | 'c' | 'o', ByLetter>>;
  readonly service: ByLetter;
  readonly keyOnly: readonly string[];
  readonly roles: readonly (readonly [role: Role, kinds: readonly string[]])[];
}

const SERVICE_SETTINGS = { r: ['getServiceProperties', 'getServiceStats'], w: ['setServiceProperties'] };

const ENTITIES: ByLetter = {
  r: ['getEntity', 'queryEntities'],
  a: ['insertEntity'],
  u: ['updateEntity', 'mergeEntity'],
  d: ['deleteEntity'],
};
const READ_TABLES = ['getEntity', 'queryEntities', 'queryTables', 'getTable'];
const WRITE_ENTITIES = [
  ...['insertEntity', 'updateEntity', 'mergeEntity', 'insertOrReplaceEntity', 'insertOrMergeEntity'],
];
const READ_QUEUES = ['listQueues', 'getQueueMetadata', 'peekMessages'];

const CREATES = [
  ...['putBlockBlob', 'putAppendBlob', 'putPageBlob', 'putBlobFromUrl', 'putBlock', 'putBlockFromUrl'],
  ...['putBlockList', 'snapshotBlob', 'copyBlob'],
];
const READS = ['getBlockList', 'getPageRanges', 'getBlob', 'getBlobProperties', 'getBlobMetadata'];
const WRITES = [
  ...['sealBlob', 'putPages', 'clearPages', 'putPagesFromUrl', 'setBlobProperties', 'setBlobMetadata'],
  ...['abortCopy', 'setTier'],
];
const APPENDS = ['appendBlock', 'appendBlockFromUrl'];
const TAGS = ['getTags', 'setTags'];
const BLOBS: ByLetter = {
  r: READS,
  a: APPENDS,
  c: CREATES,
  w: [...CREATES, ...WRITES, ...APPENDS, 'leaseBlob'],
  d: ['deleteBlob', 'leaseBlob'],
  t: TAGS,
};
const READ_BLOBS = [
  ...READS,
  ...['getAccountInformation', 'listContainers', 'getContainerProperties', 'getContainerMetadata'],
  ...['listBlobs', 'getUserDelegationKey'],
];
const WRITE_BLOBS = [
  ...READ_BLOBS,
  ...['createContainer', 'setContainerMetadata', 'leaseContainer', 'deleteContainer', 'deleteBlob'],
  ...['leaseBlob', ...CREATES, ...WRITES, ...APPENDS],
];

const SERVICES: Readonly<Record<'tables' | 'queues' | 'blobs', Expected>> = {
  tables: {
    authorization: TABLE_AUTHORIZATION,
    resource: 'table1',
    anyone: ['submitTransaction'],
    account: {
      s: SERVICE_SETTINGS,
      c: { l: ['queryTables', 'getTable'], c: ['createTable'], w: ['createTable'], d: ['deleteTable'] },
      o: ENTITIES,
    },
    service: ENTITIES,
    keyOnly: ['getTableAcl', 'setTableAcl'],
    roles: [
      ['Storage Table Data Reader', READ_TABLES],
      [
        'Storage Table Data Contributor',
        [...READ_TABLES, ...WRITE_ENTITIES, 'deleteEntity', 'createTable', 'deleteTable'],
      ],
      ['Storage Queue Data Contributor', []],
    ],
  },
  queues: {
    authorization: QUEUE_SERVICE,
    resource: 'q',
    anyone: [],
    account: {
      s: { ...SERVICE_SETTINGS, l: ['listQueues'] },
      // Some clients ask for the type of queues to take messages.
      c: {
        r: ['getQueueMetadata'],
        c: ['createQueue', 'setQueueMetadata'],
        w: ['createQueue', 'setQueueMetadata'],
        d: ['deleteQueue', 'clearMessages'],
        u: ['updateMessage'],
        p: ['deleteMessage'],
      },
      o: {
        r: ['peekMessages'],
        a: ['putMessage'],
        u: ['updateMessage'],
        p: ['getMessages', 'deleteMessage'],
        d: ['clearMessages'],
      },
    },
    service: {
      r: ['getQueueMetadata', 'peekMessages'],
      a: ['putMessage'],
      u: ['updateMessage'],
      p: ['getMessages', 'deleteMessage'],
    },
    keyOnly: ['getQueueAcl', 'setQueueAcl'],
    roles: [
      ['Storage Queue Data Reader', READ_QUEUES],
      ['Storage Queue Data Message Sender', ['putMessage']],
      ['Storage Queue Data Message Processor', ['getMessages', 'peekMessages', 'deleteMessage']],
      [
        'Storage Queue Data Contributor',
        [
          ...READ_QUEUES,
          ...['createQueue', 'deleteQueue', 'setQueueMetadata', 'putMessage', 'getMessages'],
          ...['updateMessage', 'deleteMessage', 'clearMessages'],
        ],
      ],
      ['Storage Table Data Contributor', []],
    ],
  },
  blobs: {
    authorization: BLOB_AUTHORIZATION,
    resource: 'c/b',
    anyone: ['submitBatch'],
    anyAccount: ['getAccountInformation'],
    account: {
      s: { ...SERVICE_SETTINGS, l: ['listContainers'], f: ['findBlobsByTags'] },
      c: {
        r: ['getContainerProperties', 'getContainerMetadata'],
        c: ['createContainer'],
        w: ['createContainer', 'setContainerMetadata', 'leaseContainer'],
        d: ['deleteContainer', 'leaseContainer'],
        l: ['listBlobs'],
        f: ['findBlobsByTags'],
      },
      o: BLOBS,
    },
    service: { ...BLOBS, l: ['listBlobs'], f: ['findBlobsByTags'] },
    keyOnly: ['getContainerAcl', 'setContainerAcl', 'getUserDelegationKey'],
    roles: [
      ['Storage Blob Data Reader', READ_BLOBS],
      ['Storage Blob Data Contributor', WRITE_BLOBS],
      [
        'Storage Blob Data Owner',
        [...WRITE_BLOBS, ...TAGS, 'findBlobsByTags', 'getContainerAcl', 'setContainerAcl'],
      ],
      ['Storage Blob Delegator', ['getUserDelegationKey']],
      ['Storage Queue Data Contributor', []],
    ],
  },
};

const OWNER: Grant = { kind: 'owner' };
const account = (resourceTypes: string, permission: string): Grant => ({
  kind: 'accountSas',
  resourceTypes,
  permission,
});
const signature = (resource: string, permission: string): Grant => ({
  kind: 'serviceSas',
  resource,
  permission,
  range: undefined,
});
/** Of a version that has no access policies of tables for tokens, unless another is named. */
const bearer = (role: Role, version = '2020-12-06'): Grant => ({ kind: 'bearer', roles: [role], version });

type Name = keyof typeof SERVICES;

/** The code of the refusal, or `ok`. */
function outcome(name: Name, grant: Grant, kind: string, resource = SERVICES[name].resource): string {
  try {
    authorize(SERVICES[name].authorization, grant, kind, resource);
    return 'ok';
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message;
  }
}

for (const [name, expected] of Object.entries(SERVICES) as [Name, Expected][])
  describe(name, () => {
    const kinds = Object.keys(expected.authorization.rights).sort();
    const { anyone, anyAccount = [], resource, keyOnly } = expected;
    const assertAllowed = (grant: Grant, allowed: readonly string[], what: string): void =>
      assert.deepEqual(
        kinds.filter(kind => outcome(name, grant, kind) === 'ok'),
        [...allowed].sort(),
        what,
      );

    test('the owner, and who manages the account, may do everything', () => {
      assertAllowed(OWNER, kinds, 'owner');
      assertAllowed(bearer('Storage Account Contributor', '2025-07-05'), kinds, 'manager');
    });

    test("an account's signature by one type and one letter", () => {
      for (const type of ['s', 'c', 'o'] as const)
        for (const letter of 'rwdlacuptf')
          assertAllowed(
            account(type, letter),
            [...anyone, ...anyAccount, ...(expected.account[type][letter] ?? [])],
            type + letter,
          );
    });

    test("a resource's signature by letter", () => {
      // No signature of a blob has an `u`.
      for (const letter of name === 'blobs' ? 'rwdlacptf' : 'rwdlacuptf')
        assertAllowed(
          signature(resource, letter),
          [...anyone, ...anyAccount, ...(expected.service[letter] ?? [])],
          letter,
        );
    });

    test('policies and keys are for no signature', () => {
      for (const kind of keyOnly)
        for (const grant of [account('sco', 'rwdxylacuptfi'), signature(resource, 'rwdxylacuptfi')])
          assert.equal(outcome(name, grant, kind), 'AuthorizationFailure', kind);
    });

    test('roles', () => {
      for (const [role, allowed] of expected.roles)
        assertAllowed(bearer(role), [...anyone, ...allowed], role);
      assertAllowed({ kind: 'bearer', roles: [], version: '' }, anyone, 'none');
    });
  });

test('an upsert needs the letters of both that it may do', () => {
  for (const grant of [account('o', 'ua'), signature('table1', 'au')])
    for (const kind of ['insertOrReplaceEntity', 'insertOrMergeEntity'])
      assert.equal(outcome('tables', grant, kind), 'ok');
});

test('of two things that are wrong, the first in order is reported', () => {
  for (const [name, grant, kind, code] of [
    ['tables', account('o', 'd'), 'createTable', 'AuthorizationResourceTypeMismatch'],
    ['tables', account('c', 'd'), 'createTable', 'AuthorizationPermissionMismatch'],
    ['tables', account('s', 'r'), 'setTableAcl', 'AuthorizationFailure'],
    ['tables', signature('table2', 'r'), 'insertEntity', 'AuthorizationFailure'],
    ['tables', signature('table1', 'r'), 'insertEntity', 'AuthorizationPermissionMismatch'],
    ['queues', account('s', 'r'), 'putMessage', 'AuthorizationResourceTypeMismatch'],
    ['queues', account('s', 'r'), 'listQueues', 'AuthorizationPermissionMismatch'],
    ['queues', signature('q', 'raup'), 'clearMessages', 'AuthorizationFailure'],
    ['blobs', account('s', 'r'), 'getBlob', 'AuthorizationResourceTypeMismatch'],
    ['blobs', account('s', 'r'), 'listContainers', 'AuthorizationPermissionMismatch'],
  ] as const)
    assert.equal(outcome(name, grant, kind), code, `${name} ${kind}`);
});

test('a table signature is for its table, whatever the case of the name', () => {
  assert.equal(outcome('tables', signature('TABLE1', 'a'), 'insertEntity', 'taBle1'), 'ok');
  for (const other of ['table2', 'table'])
    assert.equal(outcome('tables', signature('Table1', 'a'), 'insertEntity', other), 'AuthorizationFailure');
});

test('access policies of tables have a first version for tokens', () => {
  const [reader, contributor] = ['Storage Table Data Reader', 'Storage Table Data Contributor'] as const;
  assert.equal(outcome('tables', bearer(contributor), 'setTableAcl'), 'ResourceNotFound');
  assert.equal(outcome('tables', bearer(contributor, '2025-07-05'), 'setTableAcl'), 'ok');
  assert.equal(outcome('tables', bearer(reader, '2025-07-05'), 'getTableAcl'), 'ok');
  const code = 'AuthorizationPermissionMismatch';
  assert.equal(outcome('tables', bearer(reader, '2025-07-05'), 'setTableAcl'), code);
});

test('keys outside of the range: reads find nothing, writes are refused; other grants have no range', () => {
  const range = { from: { partition: 'b', key: '' }, until: { partition: 'b\0', key: '' } };
  const grant: Grant = { kind: 'serviceSas', resource: 't', permission: 'raud', range };
  const outside = { partitionKey: 'a', rowKey: '' };
  authorizeKey(grant, 'deleteEntity', { partitionKey: 'b', rowKey: 'x' });
  assert.throws(() => authorizeKey(grant, 'getEntity', outside), { code: 'ResourceNotFound' });
  for (const kind of ['insertEntity', 'insertOrMergeEntity', 'deleteEntity'] as const)
    assert.throws(() => authorizeKey(grant, kind, outside), { code: 'AuthorizationFailure' }, kind);
  for (const other of [OWNER, account('o', 'd'), signature('t', 'd')]) {
    assert.equal(keyRangeOf(other), undefined);
    authorizeKey(other, 'deleteEntity', outside);
  }
});

test('what a public container is open for', () => {
  const kinds = Object.keys(BLOB_AUTHORIZATION.rights) as Parameters<typeof isOpenToAll>[0][];
  const lists = ['listBlobs', 'getContainerProperties', 'getContainerMetadata'];
  for (const [level, open] of [
    ['private', []],
    ['blob', READS],
    ['container', [...READS, ...lists]],
  ] as const)
    assert.deepEqual(kinds.filter(kind => isOpenToAll(kind, level)).sort(), [...open].sort(), level);
});
