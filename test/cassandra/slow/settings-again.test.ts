// A running server's report on a host that comes up again with other settings. In a process of its own, as the driver
// keeps a timer of a host that was down even after it was shut down.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '#base/testing/until';
import { skip } from '../../../packages/store-cassandra/testing/cluster.js';
import { spawnServer } from '../../support/spawned-server.js';
import { ownCluster } from '../node/own-cluster.js';

const PERIODIC = { commitlog_sync: 'periodic', commitlog_sync_period: '10000ms' };
const SENTENCE =
  'A node of the cluster has commitlog_sync: periodic, which may lose or hide what was answered; it has to be batch or group.';

/** Health and metrics of a server on a keyspace. */
async function serve(address: string) {
  const server = await spawnServer([
    'serve',
    '--store',
    `cassandra:${address}`,
    '--table-port',
    '0',
    '--metrics-port',
    '0',
  ]);
  const url = /served at (\S+)\.\n/.exec(server.stderr())?.[1] ?? '';
  const ask = async (path: string) => {
    const answer = await fetch(`${url}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  const untilUnsafe = async (count: number): Promise<void> => {
    const line = `shelfmark_cassandra_unsafe_settings ${count}\n`;
    await until(line, async () => (await ask('/metrics')).text.includes(line));
  };
  return { server, ask, untilUnsafe };
}

describe('settings of a host that comes up again', {
  skip,
}, () => {
  const cluster = ownCluster(4);
  before(() => cluster.start(1));
  after(() => cluster.stop());

  test('settings: they are reported by a warning, a metric and, unless allowed, the readiness', async () => {
    const place = `//${cluster.hostOf(1)}/again?create&replicas=1`;
    const strict = await serve(place);
    const allowing = await serve(`${place}&unsafe`);
    try {
      assert.equal((await strict.ask('/readyz')).status, 200);
      await cluster.restart(1, PERIODIC);
      for (const { server, untilUnsafe } of [strict, allowing]) {
        await untilUnsafe(1);
        assert.ok(server.stderr().includes(SENTENCE), server.stderr());
      }
      const answer = await strict.ask('/readyz');
      assert.deepEqual([answer.status, answer.text.includes(SENTENCE)], [503, true], answer.text);
      assert.equal((await allowing.ask('/readyz')).status, 200);
      await cluster.restart(1, {});
      await strict.untilUnsafe(0);
      assert.equal((await strict.ask('/readyz')).status, 200);
    } finally {
      await strict.server.stop('SIGKILL');
      await allowing.server.stop('SIGKILL');
    }
  });
});
