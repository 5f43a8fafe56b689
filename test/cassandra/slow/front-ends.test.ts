// Several front ends on one cluster: clients of all of them write into the same partitions while owners are killed and
// stopped, lose their connections, or are two at once. All answers are judged as in the runs with faults of nodes.
import assert from 'node:assert/strict';
import { after, describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '#base/testing/until';
import { type RunningServer, serve } from '#server';
import type { EngineKind, Peer, Peers } from '#store';
import { Engines } from '../../../packages/server/engines.js';
import { cassandraEngine } from '../../../packages/store-cassandra/cassandra-engine.js';
import { dropKeyspace, newPlace, skip } from '../../../packages/store-cassandra/testing/cluster.js';
import { type HostProxy, proxyTo } from '../../../packages/store-cassandra/testing/proxy.js';
import { withMembers } from '../../planted/members.js';
import { drawFrom, from } from '../../random/arbitrary.js';
import { FrontEnds } from '../faults/cluster/front-ends.js';
import { Pace } from '../faults/work/pace.js';
import { makeTable, Work, type WorkOptions } from '../faults/work/work.js';

const seed = Number(process.env.SHELFMARK_SEED ?? 24);
const COUNT = 3;
const QUIET_MS = 3000;
/** Processes that the test makes owners. */
const FORCED = 'forced';
const METRIC = /^shelfmark_forwarded_requests_total\{outcome="answered"\} (\d+)$/m;

/** Clients work while something is done to the front ends; then everything is judged. */
async function judged(
  frontEnds: WorkOptions['frontEnds'],
  round: number,
  disturb: () => Promise<void>,
): Promise<void> {
  const draw = drawFrom(seed);
  const pace = new Pace();
  if (round === 1) await makeTable(frontEnds);
  const work = new Work({ round, frontEnds, draw, pace });
  await work.begin();
  await sleep(QUIET_MS);
  try {
    await disturb();
    await sleep(QUIET_MS);
  } finally {
    await work.end();
  }
  const faults = await work.judge();
  const repeat = `SHELFMARK_SEED=${seed}`;
  assert.deepEqual(faults, [], `${repeat}\n${faults.length > 0 ? work.journal.text() : ''}`);
}

describe('front ends', { skip }, () => {
  const place = newPlace();
  after(() => dropKeyspace(place));

  test('front ends: owners are killed and stopped', async () => {
    const frontEnds = new FrontEnds(`cassandra:${place}`, drawFrom(seed), undefined);
    await frontEnds.start(COUNT);
    try {
      await judged(frontEnds, 1, async () => {
        for (let number = 0; number < COUNT; number++) {
          await frontEnds.kill(number);
          await sleep(QUIET_MS / 2);
          await frontEnds.restart(number);
        }
      });
      await judged(frontEnds, 2, async () => {
        // For less than a lease, and for more.
        for (const [number, milliseconds] of [1000, 3000, 6000].entries()) {
          frontEnds.signal(number, 'SIGSTOP');
          await sleep(milliseconds);
          frontEnds.signal(number, 'SIGCONT');
          await sleep(QUIET_MS / 2);
        }
      });
    } finally {
      await frontEnds.stop();
    }
  });

  test('front ends: connections between them end, and two own a partition at once', async t => {
    const all = await Inside.start(t, `cassandra:${place}`);
    await judged(all, 3, async () => {
      await all.handsOverMore(0);
      for (let cut = 0; cut < 20; cut++) {
        await sleep(150);
        all.gates[cut % COUNT]?.cut();
      }
    });
    const handed = await all.handedOver();
    // Each takes the next one for the owner of everything: three at once.
    all.isForced = true;
    await judged(all, 4, async () => {
      await all.handsOverMore(handed);
      await sleep(QUIET_MS);
    });
  });
});

/** Front ends in this process, each behind a proxy that cuts its connections to the others. */
class Inside {
  readonly gates: HostProxy[] = [];
  isForced = false;
  readonly #servers: RunningServer[] = [];
  readonly #urls: string[] = [];
  readonly #draw = drawFrom(seed);

  static async start(t: TestContext, store: string): Promise<Inside> {
    const all = new Inside();
    for (let number = 0; number < COUNT; number++) {
      const options = { store, operations: { port: 0 }, logLevel: 'silent' } as const;
      const server = await serve(options, new Engines([all.#kind(number)]));
      t.after(() => server.close());
      t.after(() => {
        all.gates[number]?.close();
        all.gates[number]?.cut();
      });
      all.#servers.push(server);
    }
    return all;
  }

  portOf(service: 'table' | 'queue' | 'blob'): number {
    const server = this.#draw(from(this.#servers));
    return { table: server.tablePort, queue: server.queuePort, blob: server.blobPort }[service] ?? 0;
  }

  async handedOver(): Promise<number> {
    const texts = this.#servers.map(async ({ operationsPort }) =>
      (await fetch(`http://127.0.0.1:${operationsPort}/metrics`)).text(),
    );
    return (await Promise.all(texts)).reduce((sum, text) => sum + Number(METRIC.exec(text)?.[1] ?? 0), 0);
  }

  async handsOverMore(before: number): Promise<void> {
    await until('a request that is handed over', async () => (await this.handedOver()) > before);
  }

  #kind(number: number): EngineKind {
    return {
      ...cassandraEngine,
      open: async (place, options) => {
        const engine = await cassandraEngine.open(place, options);
        const peers = engine.peers ?? assert.fail('It has no peers.');
        return withMembers(engine, { peers: this.#peersOf(number, peers) });
      },
    };
  }

  #peersOf(number: number, peers: Peers): Peers {
    const next = (number + 1) % COUNT;
    const forced = (): Peer => ({ id: String(next), url: this.#urls[next] ?? '', lease: FORCED });
    const all = this;
    return {
      get hasOwners() {
        return all.isForced || peers.hasOwners;
      },
      join: async url => {
        const { hostname, port } = new URL(url);
        const gate = await proxyTo(hostname, Number(port));
        this.gates[number] = gate;
        const own = `shelfmark3://127.0.0.1:${gate.port}`;
        this.#urls[number] = own;
        await peers.join(own);
      },
      leave: () => peers.leave(),
      secret: () => peers.secret(),
      ownerOf: (space, partition) => (this.isForced ? forced() : peers.ownerOf(space, partition)),
      holds: lease => lease === FORCED || peers.holds(lease),
      suspect: peer => (this.isForced ? undefined : peers.suspect(peer)),
    };
  }
}
