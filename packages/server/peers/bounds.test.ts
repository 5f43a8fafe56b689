// How much one front end hands to another, and takes of all: each bound below, at and above, over real connections.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { type TestContext, test } from 'node:test';
import { until } from '#base/testing/until';
import type { Grant } from '../auth/grant.js';
import type { Carried, ForwardedRequest, Outcome } from './forwarded.js';
import { ANSWER_MS_MAX, PeerLink, UNDER_WAY_MAX } from './peer-link.js';
import { CARRIED_MAX, PeerPort } from './peer-port.js';
import { connectPeer, type PeerAddress, urlOf } from './peer-socket.js';

const SECRET = 'ab'.repeat(32);
const PEER = { id: 'owner', url: '', lease: 'lease' };
const REQUEST: ForwardedRequest = {
  service: 'table',
  account: 'a',
  request: {
    method: 'POST',
    target: '/a/t',
    headers: {},
    secure: false,
    remoteAddress: '127.0.0.1',
    body: Buffer.alloc(0),
  },
  // Not used here.
  grant: {} as Grant,
  requestId: 'r',
  clientRequestId: undefined,
  version: '2019-02-02',
};
const CARRIED: Carried = { response: { status: 204, headers: [], body: undefined }, refused: undefined };
const FULL: Outcome = { kind: 'refused', reason: 'It has too many.' };

/** An owner that carries out nothing before it is let go. */
class Owner {
  readonly address: PeerAddress;
  readonly port: PeerPort;
  begun = 0;
  readonly #waiting: (() => void)[];

  private constructor(address: PeerAddress, port: PeerPort, waiting: (() => void)[]) {
    this.address = address;
    this.port = port;
    this.#waiting = waiting;
  }

  static async start(t: TestContext): Promise<Owner> {
    const waiting: (() => void)[] = [];
    const port: PeerPort = new PeerPort({ holds: () => true }, SECRET, () => {
      owner.begun += 1;
      return new Promise(resolve => waiting.push(() => resolve(CARRIED)));
    });
    const owner = new Owner(await port.listen({ host: '127.0.0.1', port: 0 }), port, waiting);
    t.after(() => {
      owner.go(Number.POSITIVE_INFINITY);
      return port.close();
    });
    return owner;
  }

  go(count: number): void {
    for (const end of this.#waiting.splice(0, count)) end();
  }

  async link(t: TestContext, suspected: () => void = () => undefined) {
    const link = new PeerLink(urlOf(this.address), SECRET, { lost: () => undefined, suspected });
    t.after(() => link.end('The test is over.'));
    await until('the link is open', () => link.isOpen);
    return link;
  }
}

/** What is handed over would come too late on a machine that stands still for two seconds. */
function stopClock(t: TestContext) {
  const clock = { now: 1000 };
  t.mock.method(performance, 'now', () => clock.now);
  return clock;
}

test('peers: 512 requests are under way over one link', async t => {
  stopClock(t);
  const owner = await Owner.start(t);
  const link = await owner.link(t);
  const outcomes = Array.from({ length: UNDER_WAY_MAX - 1 }, () => link.send(PEER, REQUEST));
  await until('with 511 there is a place', () => link.isOpen);
  outcomes.push(link.send(PEER, REQUEST));
  assert.equal(link.isOpen, false);
  await until('all 512 are begun', () => owner.begun === UNDER_WAY_MAX);
  owner.go(1);
  await until('one that is answered makes place', () => link.isOpen);
  owner.go(UNDER_WAY_MAX);
  const kinds = new Set((await Promise.all(outcomes)).map(({ kind }) => kind));
  assert.deepEqual([...kinds], ['answered']);
});

test('peers: 1,024 requests of all links are carried out at a time', async t => {
  stopClock(t);
  const owner = await Owner.start(t);
  const links = [await owner.link(t), await owner.link(t), await owner.link(t)];
  const outcomes = links
    .slice(0, 2)
    .flatMap((link, at) => Array.from({ length: UNDER_WAY_MAX - at }, () => link.send(PEER, REQUEST)));
  await until('1,023 are begun', () => owner.begun === CARRIED_MAX - 1);
  outcomes.push(links[2]?.send(PEER, REQUEST) ?? assert.fail());
  await until('and one more', () => owner.begun === CARRIED_MAX);
  assert.deepEqual(await links[2]?.send(PEER, REQUEST), FULL);
  owner.go(1);
  await outcomes[0];
  const last = links[2]?.send(PEER, REQUEST);
  await until('one that is answered makes place', () => owner.begun === CARRIED_MAX + 1);
  owner.go(CARRIED_MAX);
  assert.equal(
    (await Promise.all([...outcomes, last])).every(one => one?.kind === 'answered'),
    true,
  );
  assert.deepEqual(owner.port.told, { answered: CARRIED_MAX + 1, refused: 1 });
});

test('peers: a request has thirty seconds; later ones over the same link keep theirs', async t => {
  const clock = stopClock(t);
  const owner = await Owner.start(t);
  let suspicions = 0;
  const link = await owner.link(t, () => {
    suspicions += 1;
  });
  const late = link.send(PEER, REQUEST);
  await until('the first is begun', () => owner.begun === 1);
  clock.now += ANSWER_MS_MAX;
  const begun = until('the second is begun', () => owner.begun === 2);
  // What is sent before the new time is known here comes too late.
  let next = link.send(PEER, REQUEST);
  while ((await Promise.race([next, begun])) !== true) next = link.send(PEER, REQUEST);
  assert.equal(suspicions, 0);
  clock.now += 1;
  assert.deepEqual(await late, { kind: 'unclear', reason: 'It did not answer.' });
  assert.deepEqual([suspicions, link.isOpen], [1, true]);
  owner.go(2);
  assert.equal((await next).kind, 'answered');
});

test('peers: a connection whose handshake ends while the port closes does not keep it open', {
  timeout: 60_000,
}, async t => {
  const owner = await Owner.start(t);
  const far = net.connect(owner.address);
  await once(far, 'connect');
  const closed = owner.port.close();
  for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve));
  const gate = net.createServer(near => near.pipe(far).pipe(near)).listen(0, '127.0.0.1');
  t.after(() => gate.close());
  await once(gate, 'listening');
  const { port } = gate.address() as net.AddressInfo;
  const socket = connectPeer({ host: '127.0.0.1', port }, SECRET).on('error', () => undefined);
  await new Promise(resolve => socket.on('close', resolve));
  await closed;
});
