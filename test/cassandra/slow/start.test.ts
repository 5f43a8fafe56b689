// Front ends that start while the nodes do, several at once, each with `create`. On three nodes of their own.
import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { until } from '#base/testing/until';
import { skip } from '../../../packages/store-cassandra/testing/cluster.js';
import { runToEnd, type SpawnedServer, spawnServer } from '../../support/spawned-server.js';
import { ownCluster } from '../node/own-cluster.js';

const NODES = [1, 2, 3];
const OTHERS = [2, 3];
/** Nodes of a busy machine may need more than a minute. */
const PATIENT = '&wait=600';
const READY_MS = 600_000;

describe('start', { skip }, () => {
  const cluster = ownCluster(5);
  const serve = (keyspace: string, options = ''): readonly string[] => {
    const hosts = NODES.map(node => cluster.hostOf(node)).join(',');
    const store = `cassandra://${hosts}/${keyspace}?create${options}`;
    return ['serve', '--store', store, '--table-port', '0', '--peer-port', 'none'];
  };
  const started = async (t: TestContext, args: readonly string[]): Promise<SpawnedServer> => {
    const server = await spawnServer(args, { readyWithinMilliseconds: READY_MS });
    t.after(() => server.stop('SIGKILL'));
    return server;
  };
  before(() => cluster.start(NODES.length));
  after(() => cluster.stop());

  test('start: three front ends create the same tables at once', async t => {
    for (const keyspace of ['first', 'second']) {
      const servers = await Promise.all(NODES.map(() => started(t, serve(keyspace))));
      for (const server of servers) assert.equal(server.stderr(), '');
    }
  });

  test('start: without a quorum in time it ends with one sentence', async () => {
    for (const node of OTHERS) await cluster.kill(node);
    const { code, stdout, stderr } = await runToEnd(serve('third', '&wait=20'));
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /^\S+ \[SHELFMARK_CASSANDRA_WAITING\] ShelfmarkWarning: Waiting up to 20 s for the cluster: [^\n]+\.$/m,
    );
    const last = stderr.trimEnd().split('\n').at(-1) ?? '';
    assert.match(last, /^shelfmark: Cassandra cannot do it now: [^\n]+ \(tried for 20 s\)\.$/);
  });

  test('start: a front end waits for nodes that come up', async t => {
    const starting = started(t, serve('fourth', PATIENT));
    // Its first attempts fail before a second node is up.
    await Promise.all([starting, ...OTHERS.map(node => cluster.restart(node))]);
    const server = await starting;
    assert.match(server.stderr(), /Waiting up to 600 s for the cluster: /);
    await until('an answer', async () => (await fetch(server.endpoint)).status > 0);
  });
});
