// A soak of what follows from rows: writers and workers for some minutes, with faults at one request in a hundred and workers that end; then audits find nothing, no message was put aside or left behind, and
// the heap did not grow. SOAK_SECONDS sets the duration.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until } from '#base/testing/until';
import { type Db, entity, key, open, PatternError, type Repo } from '#patterns';
import { audit } from '#patterns/audit';
import type { FlowEvent, WorkerOptions } from '#patterns/flows';
import { indexFlow } from '#patterns/indexes';
import { auditLists, listFlow, listOf } from '#patterns/lists';
import { disturbed, FaultyClient } from '../support/faulty-client.js';
import { byEmailIn, byNameElsewhere, NEAR, person } from '../support/indexed-entity.js';
import { describePeers, type Peer } from '../support/peers.js';
import { chanceOf, repeatBy, SEED } from '../support/seeded.js';

const { SOAK_SECONDS } = process.env;
const skip = SOAK_SECONDS === undefined && 'runs in npm run verify patterns-soak';

const REPEAT = `SOAK_SECONDS=${SOAK_SECONDS} ${repeatBy('slow/soak')}`;

const WRITERS = 4;
const FAULTY_SHARE = 0.01;
/** Rows that writers contend for. */
const IDS = 60;
/** Of the heap, over what it was after the first workers, in bytes. */
const GROWTH_MAX = 64 * 1024 * 1024;

const define = (table: string, emails: string) =>
  entity('Soaked', {
    ...person,
    table,
    indexes: {
      byName: NEAR.byName,
      elsewhere: byNameElsewhere,
      byEmail: { ...byEmailIn(emails), unique: true },
    },
  });

/** Errors that a disturbed writer may get. */
const EXPECTED: ReadonlySet<string> = new Set([
  'AlreadyExists',
  'UniqueViolation',
  'Contention',
  'Conflict',
  'OutcomeUnknown',
  'Throttled',
  'Unreachable',
  'ServiceRefused',
]);

/** In bytes, of what is reachable. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

type Soaked = ReturnType<typeof define>;

async function write(rows: Repo<Soaked>, chance: () => number): Promise<void> {
  const number = Math.floor(chance() * IDS);
  const at = { department: `d${number % 3}`, id: number };
  const value = {
    ...at,
    last: `L${Math.floor(chance() * 9)}`,
    email: `m${Math.floor(chance() * IDS)}@x.org`,
  };
  const acts = [
    () => rows.create(value),
    () => rows.upsert(value),
    () => rows.mutate(at, row => row && { ...row, last: value.last }),
    () => rows.mutate(at, row => row && { ...at, last: row.last }),
    () => rows.deleteIfExists({ key: at, etag: '*' }),
  ];
  await acts[Math.floor(chance() * acts.length)]?.();
}

/** Rows with everything derived from them, and programs that write them while some requests fail. */
async function soaked(peer: Peer) {
  const Soaked = define(await peer.newTable(), await peer.newTable());
  const everywhere = listOf(Soaked, 'soaked', {
    where: 'remote',
    partition: p => key('list', p.last),
    row: key('all'),
  });
  const flows = [indexFlow(Soaked), listFlow(`soaked-${peer.name}`, [everywhere])];
  const opened = (share: number, seed: number): Db => {
    const httpClient = new FaultyClient(disturbed(share, chanceOf(seed)));
    const clients = { tables: peer.client(), queues: peer.queues(httpClient) };
    return open(clients, { httpClient, announceAfter: 1, reserveFor: 5 });
  };
  const db = opened(0, SEED);
  for (const each of flows) await each.createQueues(db);
  const poisoned: FlowEvent[] = [];
  const report = (event: FlowEvent): void => {
    if (event.kind === 'poisoned') poisoned.push(event);
  };
  const options: WorkerOptions = { visibility: 5, maxDequeue: 20, grace: 40, redeliverAfter: 5, report };
  return {
    Soaked,
    everywhere,
    db,
    poisoned,
    opened: (seed: number) => opened(FAULTY_SHARE, seed),
    work: (seed: number) => flows.map(each => each.worker(opened(FAULTY_SHARE, seed), options)),
    figures: () => Promise.all(flows.map(each => each.figures(db))),
  };
}

type World = Awaited<ReturnType<typeof soaked>>;

/** Gives how many writes were tried. */
async function writeUntil(end: number, { opened, Soaked }: World, seed: number): Promise<number> {
  const chance = chanceOf(seed);
  const rows = opened(seed).repo(Soaked);
  for (let written = 0; ; written++) {
    if (performance.now() >= end) return written;
    await write(rows, chance).catch((thrown: unknown) => {
      if (!PatternError.is(thrown) || !EXPECTED.has(thrown.code)) throw thrown;
    });
  }
}

/** Workers that come and go. Gives the age of the oldest message that was seen, and the heap after the first of them. */
async function workUntil(end: number, { work, figures }: World) {
  let [oldest, early] = [0, 0];
  for (let round = 0; performance.now() < end; round++) {
    const workers = work(SEED + 1_000 + round);
    await pause(Math.max(1, Math.min(10_000, end - performance.now())));
    oldest = Math.max(oldest, ...(await figures()).map(each => each.oldest ?? 0));
    for (const each of workers) await each.stop();
    if (round === 0) early = heapInUse();
  }
  return { oldest, early };
}

async function drained({ work, figures }: World): Promise<void> {
  const workers = work(SEED);
  await until(`empty queues. ${REPEAT}`, async () => (await figures()).every(({ pending }) => pending === 0));
  for (const each of workers) await each.stop();
}

describePeers('a soak', peer => {
  test('leaves all exact that follows from rows, no message behind, and the heap as it was', {
    skip,
  }, async t => {
    const end = performance.now() + Number(SOAK_SECONDS) * 1_000;
    const world = await soaked(peer);
    const { db, Soaked, everywhere, poisoned } = world;
    const writers = Array.from({ length: WRITERS }, (_, at) => writeUntil(end, world, SEED + at + 1));
    const [{ oldest, early }, ...counts] = await Promise.all([workUntil(end, world), ...writers]);
    await drained(world);
    const growth = heapInUse() - early;
    const written = counts.reduce((sum, each) => sum + each, 0);
    t.diagnostic(`${written} writes, the oldest message ${oldest} ms, the heap ${growth} bytes more`);
    for await (const { findings } of audit(db, Soaked)) assert.deepEqual(findings, [], REPEAT);
    for await (const { findings } of auditLists(db, everywhere)) assert.deepEqual(findings, [], REPEAT);
    assert.deepEqual(poisoned, [], REPEAT);
    // The heap of this process has the server in memory, which has rows to keep.
    if (peer.name !== 'memory') assert(growth < GROWTH_MAX, `The heap grew by ${growth} bytes. ${REPEAT}`);
  });
});
