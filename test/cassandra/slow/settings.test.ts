// Why a cluster is refused when a store is opened, and the reports if it is served anyway: prepare.test.ts has the
// causes. On a node of its own, which acknowledges a write before it is on disk.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '#base';
import { cassandraEngine } from '../../../packages/store-cassandra/cassandra-engine.js';
import { SCHEMA_VERSION } from '../../../packages/store-cassandra/layout/schema.js';
import { parsePlace } from '../../../packages/store-cassandra/place.js';
import { onCluster } from '../../../packages/store-cassandra/session/session.js';
import { skip } from '../../../packages/store-cassandra/testing/cluster.js';
import { ownCluster } from '../node/own-cluster.js';

const UNSAFE = ['commitlog_sync=periodic', 'paxos_variant=v2_without_linearizable_reads'];
const OPTIONS = { clock: systemClock, durability: 'full', exclusive: false } as const;

const openAt = (place: string) => cassandraEngine.open(place, OPTIONS);

describe('settings', { skip }, () => {
  const cluster = ownCluster(1);
  const host = cluster.hostOf(1);
  before(() =>
    cluster.start(1, {
      commitlog_sync: 'periodic',
      commitlog_sync_period: '10000ms',
      paxos_variant: 'v2_without_linearizable_reads',
    }),
  );
  after(() => cluster.stop());

  test('settings: a keyspace or its tables that do not exist', async () => {
    const message = 'There is no keyspace none; the option create makes it.';
    await assert.rejects(openAt(`//${host}/none`), { code: 'unsupported', message });
    await onCluster(parsePlace(`//${host}/none`), async ({ run }) => {
      await run(
        `CREATE KEYSPACE strange WITH replication = {'class': 'NetworkTopologyStrategy', 'datacenter1': 1}`,
      );
    });
    const noStore = 'The keyspace strange has no store; the option create makes one.';
    await assert.rejects(openAt(`//${host}/strange`), { code: 'unsupported', message: noStore });
  });

  test('settings: another version of the tables', async () => {
    const store = await openAt(`//${host}/k?create&replicas=1&unsafe`);
    await store.close();
    await onCluster(parsePlace(`//${host}/k`), async ({ run }) => {
      await run(`UPDATE k.format SET version = ${SCHEMA_VERSION + 1} WHERE name = 'store'`);
    });
    const message = `The keyspace k has version ${SCHEMA_VERSION + 1} of the tables; this program writes version ${SCHEMA_VERSION}.`;
    await assert.rejects(openAt(`//${host}/k?unsafe`), { code: 'unsupported', message });
  });

  test('settings: a cluster that is served anyway is marked in the place of its data, and in its metrics', async () => {
    const store = await openAt(`//${host}/served?create&replicas=1&unsafe`);
    try {
      assert.equal(store.tools.place, `keyspace served at ${host}, UNSAFE: ${UNSAFE.join(', ')}`);
      const told = store.statistics().find(({ name }) => name === 'cassandra_unsafe_settings');
      assert(told?.kind === 'gauge' && told.value === UNSAFE.length);
    } finally {
      await store.close();
    }
  });

  test('settings: a cluster that cannot be reached', async () => {
    await assert.rejects(openAt('//127.0.0.250/k?wait=0'), {
      code: 'busy',
      message: /^Cassandra cannot do it now/,
    });
  });
});
