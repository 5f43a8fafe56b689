// A rolling restart of three nodes, then of two front ends behind a load balancer, while clients work: no call fails
// after the retries of its client, and nothing answered is lost. On nodes of its own.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '#base/testing/until';
import { skip } from '../../../packages/store-cassandra/testing/cluster.js';
import { blobPortOf, queuePortOf, type SpawnedServer, spawnServer } from '../../support/spawned-server.js';
import { areAllAlive } from '../node/all-alive.js';
import { ownCluster } from '../node/own-cluster.js';
import { Balancer } from '../rolling/balancer.js';
import { Clients } from '../rolling/clients.js';

const KEYSPACE = 'rolling';
const NODES = [1, 2, 3];
/** Between two steps: shapes the load. */
const QUIET_MS = 5000;
const READY_MS = 300_000;

describe('rolling restart', { skip }, () => {
  const cluster = ownCluster(8);
  const hosts = NODES.map(node => cluster.hostOf(node));
  const serve = (): Promise<SpawnedServer> =>
    spawnServer(
      ['serve', '--store', `cassandra://${hosts.join(',')}/${KEYSPACE}?create&wait=300`, '--table-port', '0'],
      { readyWithinMilliseconds: READY_MS },
    );
  before(() => cluster.start(NODES.length));
  after(() => cluster.stop());

  test('rolling restart: three nodes and two front ends', async t => {
    const servers = await Promise.all([serve(), serve()]);
    const portsOf: readonly ((server: SpawnedServer) => number)[] = [
      server => server.port,
      queuePortOf,
      blobPortOf,
    ];
    const balancers = await Promise.all(portsOf.map(portOf => Balancer.start(() => servers.map(portOf))));
    const address = portsOf.reduce(
      (text, portOf, at) => text.replace(`:${portOf(servers[0])}/`, `:${balancers[at]?.port}/`),
      servers[0].connectionString,
    );
    const clients = new Clients(address);
    try {
      await clients.begin();
      for (const node of NODES) {
        await sleep(QUIET_MS);
        await cluster.end(node);
        await cluster.restart(node);
        await until('all nodes alive', () => areAllAlive(hosts, KEYSPACE));
      }
      for (const [at, server] of servers.entries()) {
        await sleep(QUIET_MS);
        const { code, stderr } = await server.stop('SIGTERM');
        assert.equal(code, 0, stderr);
        servers[at] = await serve();
      }
      await sleep(QUIET_MS);
      const { requests, repeated, longest } = await clients.end();
      t.diagnostic(
        `${requests} requests, ${repeated} of tables sent again, ${Math.round(longest)} ms the longest`,
      );
      assert.deepEqual(clients.failures, []);
    } finally {
      await clients.end().catch(() => undefined);
      for (const balancer of balancers) balancer.close();
      for (const server of servers) await server.stop('SIGKILL');
    }
  });
});
