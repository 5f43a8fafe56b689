// Which data center keeps a store, and why a cluster is refused. The cluster is a table of answers here; test/cassandra
// has real ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SCHEMA_VERSION } from '../layout/schema.js';
import { dataCenterOf, prepare, type Wanted } from './prepare.js';
import type { ClusterAccess, Run } from './session.js';

const WANTED: Wanted = { keyspace: 'k', create: false, replicas: 3, dataCenter: undefined, unsafe: false };
const SAFE = { commitlog_sync: 'batch', paxos_variant: 'v2' };

/** A cluster with a store whose three nodes have these settings, and one its own. */
function clusterWith(own: object, { nodes = 3, replicas = '3', disagreements = 0 } = {}) {
  const ran: string[] = [];
  let looks = 0;
  let left = disagreements;
  const rowsOf = (settings: object): never[] =>
    Object.entries({ ...SAFE, ...settings }).map(([name, value]) => ({ name, value })) as never[];
  const answers: readonly (readonly [RegExp, object])[] = [
    [/system_schema.keyspaces/, { replication: { one: replicas } }],
    [/system_schema.tables/, { table_name: 'format' }],
    [/SELECT version/, { version: SCHEMA_VERSION }],
  ];
  const run: Run = async query => {
    ran.push(query);
    return answers.filter(([pattern]) => pattern.test(query)).map(([, row]) => row) as never[];
  };
  const cluster: ClusterAccess = {
    dataCenters: () => ['one'],
    countHosts: () => nodes,
    run,
    onFirst: () => run,
    runOnEach: async (_, query) => {
      if (/settings/.test(query)) looks += 1;
      if (/schema_version/.test(query)) {
        ran.push(query);
        const version = left > 0 ? `${left--}` : 'one';
        return new Map(
          ['one', version].map((schema_version, host) => [`${host}`, [{ schema_version }]]),
        ) as never;
      }
      return new Map([
        ['a', rowsOf({})],
        ['b', rowsOf(own)],
      ]);
    },
  };
  const made = (): number => ran.filter(query => query.startsWith('CREATE')).length;
  return { cluster, ran, looks: () => looks, made };
}

test('the only data center is used, one of several has to be named', () => {
  assert.equal(dataCenterOf(['one'], undefined), 'one');
  assert.equal(dataCenterOf(['one'], 'one'), 'one');
  assert.equal(dataCenterOf(['one', 'two'], 'two'), 'two');
  const message =
    'The cluster has the data centers one, two: the option dataCenter says which one keeps the store.';
  assert.throws(() => dataCenterOf(['two', 'one'], undefined), { code: 'unsupported', message });
  const none = 'The cluster has no data center One; it has one, two.';
  assert.throws(() => dataCenterOf(['two', 'one'], 'One'), { code: 'unsupported', message: none });
});

const UNSAFE = [
  ['commitlog_sync', 'periodic', 'batch or group'],
  ['paxos_variant', 'v1_without_linearizable_reads', 'v1 or v2'],
  ['paxos_variant', 'v1_without_linearizable_reads_or_rejected_writes', 'v1 or v2'],
  ['paxos_variant', 'v2_without_linearizable_reads', 'v1 or v2'],
  ['paxos_variant', 'v2_without_linearizable_reads_or_rejected_writes', 'v1 or v2'],
] as const;

test('one node with a setting that breaks the promise has the cluster refused, and left as it was', async () => {
  for (const [name, value, right] of UNSAFE) {
    const message =
      `A node of the cluster has ${name}: ${value}, which may lose or hide what was answered; it has to be ${right}. ` +
      'The option unsafe serves all the same.';
    for (const create of [false, true]) {
      const { cluster, made } = clusterWith({ [name]: value });
      await assert.rejects(prepare(cluster, { ...WANTED, create }), { code: 'unsupported', message });
      assert.equal(made(), 0);
      const { unsafe } = await prepare(cluster, { ...WANTED, create, unsafe: true });
      assert.deepEqual(unsafe, [`${name}=${value}`]);
      assert.equal(made() > 0, create);
    }
  }
});

test('settings are read once, also when tables are created', async () => {
  for (const create of [false, true]) {
    const { cluster, looks } = clusterWith({});
    await prepare(cluster, { ...WANTED, create });
    assert.equal(looks(), 1);
  }
});

test('nodes agree on the tables before the first statement, and on new ones before the first row', async () => {
  const { cluster, ran } = clusterWith({}, { disagreements: 2 });
  await prepare(cluster, { ...WANTED, create: true });
  const words = ran.flatMap(query => /schema_version|CREATE|INSERT|SELECT version/.exec(query)?.[0] ?? []);
  const order = words.filter((word, at) => word !== words[at - 1]);
  assert.deepEqual(order, ['schema_version', 'CREATE', 'schema_version', 'INSERT', 'SELECT version']);
});

test('settings that keep the promise are accepted', async () => {
  for (const own of [{ commitlog_sync: 'group' }, { paxos_variant: 'v1' }])
    assert.deepEqual((await prepare(clusterWith(own).cluster, WANTED)).unsafe, []);
});

test('as many copies as requested, on as many nodes', async () => {
  for (const replicas of ['3', '4'])
    assert.deepEqual((await prepare(clusterWith({}, { replicas }).cluster, WANTED)).unsafe, []);
  const fewCopies =
    'The keyspace k keeps 2 copies of everything, and 3 are asked for (replication). The option unsafe serves all the same.';
  const copies = clusterWith({}, { replicas: '2' }).cluster;
  await assert.rejects(prepare(copies, WANTED), { code: 'unsupported', message: fewCopies });
  const fewNodes =
    'The data center has 2 nodes, and 3 copies of everything are asked for (replicas), each of which needs a node. ' +
    'The option unsafe serves all the same.';
  const { cluster, made } = clusterWith({}, { nodes: 2 });
  const refused = { code: 'busy', message: fewNodes };
  await assert.rejects(prepare(cluster, { ...WANTED, create: true }), refused);
  await assert.rejects(prepare(cluster, WANTED), refused);
  assert.equal(made(), 0);
});
