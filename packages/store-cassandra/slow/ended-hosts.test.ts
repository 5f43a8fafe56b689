// What a session leaves behind of a host that stood still. It is the session's only host, so the driver creates it
// again.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '#base/testing/until';
import { ENTER_PARTITION } from '../layout/schema.js';
import { parsePlace } from '../place.js';
import { dropKeyspace, host, newPlace, openSession, skip } from '../testing/cluster.js';
import { proxyTo } from '../testing/proxy.js';

describe('session', { skip }, () => {
  const text = newPlace();
  const { port: own } = parsePlace(text);
  after(() => dropKeyspace(text));

  test('session: a host that stood still for seconds leaves no connection behind that outlives it', async () => {
    const { port, pause, resume, connections, close } = await proxyTo(host, own);
    const one = await openSession(text, port);
    pause();
    // After a failed heartbeat the driver takes it for down and tries to reach it again.
    await sleep(6500);
    resume();
    const isAnswered = (): Promise<boolean> =>
      one.read({ query: 'SELECT key FROM system.local', params: [] }).then(
        () => true,
        () => false,
      );
    await until('an answer', isAnswered);
    await one.close();
    await until('the end of all connections', () => connections() === 0);
    close();
  });

  test('session: after all connections broke, statements on a partition are answered again', async () => {
    const { port, cut, close } = await proxyTo(host, own);
    const one = await openSession(text, port);
    const write = (): Promise<boolean> =>
      one.write({ query: ENTER_PARTITION, params: [1n, 0, Buffer.of(1)] }).then(
        () => true,
        () => false,
      );
    try {
      for (let round = 0; round < 3; round++) {
        await until('an answer', write);
        cut();
        assert.equal(await write(), false);
      }
      await until('an answer', write);
    } finally {
      await one.close();
      close();
    }
  });
});
