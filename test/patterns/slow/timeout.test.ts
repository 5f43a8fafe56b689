// A service that carries out a write and never answers: the library times out, and finds out whether the write was done.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { test } from 'node:test';
import { open } from '#patterns';
import { anna, Employee } from '../support/employee.js';
import { describePeers } from '../support/peers.js';
import { rejects } from '../support/rejects.js';

/** Passes requests on, and answers those that `isHeard` lets be heard. */
async function startMuteProxy(target: string, isHeard: (index: number) => boolean): Promise<Server> {
  const { hostname, port } = new URL(target);
  let count = 0;
  /** The first request has been done: what comes later sees that. */
  let firstDone = Promise.resolve<unknown>(undefined);
  const proxy = createServer(async (incoming, outgoing) => {
    const isFirst = count === 0;
    const isAnswered = isHeard(count++);
    if (!isFirst) await firstDone;
    const { method, url, headers } = incoming;
    const passed = httpRequest({ hostname, port, method, path: url, headers }, answer => {
      if (!isAnswered) return void answer.resume();
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    if (isFirst) firstDone = once(passed, 'response');
    incoming.pipe(passed);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}

/** An answer that is on its way comes in that time, also where the machine stands still for seconds. */
const TIMEOUT_MILLISECONDS = 10_000;

describePeers('answers that never come', peer => {
  for (const [name, isHeard, outcome] of [
    ['are looked up', (index: number) => index > 0, 'done'],
    ['are OutcomeUnknown if no answer arrives any more', () => false, 'OutcomeUnknown'],
  ] as const)
    test(name, async () => {
      const table = await peer.newTable();
      const { url, pipeline } = peer.client();
      const proxy = await startMuteProxy(url, isHeard);
      const address = proxy.address();
      assert(typeof address === 'object' && address !== null);
      const muted = Object.assign(new URL(url), { port: String(address.port) }).href;
      const options = { timeoutMilliseconds: TIMEOUT_MILLISECONDS };
      const staff = open({ tables: { url: muted, pipeline } }, options).repo(Employee, { table });
      const creating = staff.create(anna);
      if (outcome === 'done') assert.deepEqual((await creating).value, anna);
      else await rejects(creating, outcome);
      const stored = await peer.open().repo(Employee, { table }).get(anna);
      assert.deepEqual(stored?.value, anna);
      proxy.closeAllConnections();
      proxy.close();
    });
});
