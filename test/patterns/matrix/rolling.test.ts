// Rolling tables: wherever a process ends, no table is dropped that is kept or another's, old ones go oldest first, the next call finishes the work, and a row whose write ended is in the table of its time, which
// concurrent writers make.
import assert from 'node:assert/strict';
import { type Db, entity, Instant, key, t } from '#patterns';
import { expiring, rolling } from '#patterns/rolling';
import type { Peer } from '../support/peers.js';
import { type Ground, type MatrixCase, matrixCase } from './case.js';
import { crashMatrix } from './matrix.js';

const Event = entity('Event', {
  version: 1,
  table: 'Event',
  props: { id: t.int32(), at: t.instant() },
  partition: key('events'),
  row: p => key(p.at, p.id),
});

/** When processes begin. */
const NOW = Instant.parse('2026-01-01T00:00:00Z');
const DAY = 864_000_000_000n;
const KEEP = 2;
const OLD = ['20251227', '20251228', '20251229'];
const KEPT = ['20251230', '20251231'];

interface World {
  readonly prefix: string;
  /** Rows whose writes ended. */
  readonly ended: { readonly id: number; readonly at: Instant }[];
}

const eventsOf = (db: Db, { prefix }: World) =>
  rolling(db, Event, { time: 'at', every: 'day', keep: KEEP, prefix });

let worlds = 0;

/** Of a name that no other case has. */
const letters = (): string =>
  [...`${++worlds}`].map(digit => String.fromCharCode(97 + Number(digit))).join('');

async function setUp({ peer }: Ground): Promise<World> {
  const prefix = `Matrix${peer.name}${letters()}z`;
  for (const stamp of [...OLD, ...KEPT, '2025122708', 'x20251227'])
    await peer.client().createTable(`${prefix}${stamp}`);
  return { prefix, ended: [] };
}

/** Of this case: a server has those of many. */
async function tablesOf(peer: Peer, prefix: string): Promise<readonly string[]> {
  const names: string[] = [];
  const filter = `TableName ge '${prefix}' and TableName lt '${prefix}~'`;
  for await (const { name = '' } of peer.client().listTables({ queryOptions: { filter } })) names.push(name);
  return names.sort();
}

const stampsOf = async (peer: Peer, { prefix }: World): Promise<readonly string[]> =>
  (await tablesOf(peer, prefix)).map(name => name.slice(prefix.length));

async function assertKept(world: World, { peer }: Ground): Promise<void> {
  const there = await stampsOf(peer, world);
  const needed = [...KEPT, '2025122708', 'x20251227'];
  assert.deepEqual(
    needed.filter(stamp => !there.includes(stamp)),
    [],
  );
  const left = OLD.filter(stamp => there.includes(stamp));
  assert.deepEqual(left, OLD.slice(OLD.length - left.length));
}

async function assertRows(world: World, ground: Ground): Promise<void> {
  await assertKept(world, ground);
  for (const { id, at } of world.ended) {
    const rows = ground.peer.table(`${world.prefix}${at.toString().slice(0, 10).replaceAll('-', '')}`);
    const found: string[] = [];
    for await (const { rowKey = '' } of rows.listEntities()) found.push(rowKey);
    const own = found.filter(rowKey => Event.plan.row.decode(rowKey).id === id);
    assert.equal(own.length, 1, `The row ${id} of ${at} among ${found}`);
  }
}

const rollingCase = (
  name: string,
  operation: MatrixCase<World>['operation'],
  rival: MatrixCase<World>['operation'],
): MatrixCase =>
  matrixCase<World>({
    name: `rolling tables: ${name}`,
    setUp,
    operation,
    rival,
    always: assertKept,
    finally: async (world, ground) => {
      await assertRows(world, ground);
      const events = eventsOf(ground.db, world);
      await events.expire(NOW);
      assert.deepEqual((await events.explain(NOW)).dropped, []);
      const left = await stampsOf(ground.peer, world);
      assert.deepEqual(
        OLD.filter(stamp => left.includes(stamp)),
        [],
      );
      await assertRows(world, ground);
    },
  });

const written = async (world: World, db: Db, ids: readonly number[]): Promise<void> => {
  for (const id of ids) {
    const at = NOW.plus(DAY * BigInt((id % 3) - 1));
    await eventsOf(db, world).create({ id, at });
    world.ended.push({ id, at });
  }
};

const Session = entity('Session', {
  version: 1,
  table: 'Session',
  props: { id: t.string(), until: t.instant() },
  partition: p => key(p.id),
  row: key('session'),
});

interface Lives {
  readonly prefix: string;
  /** The life that was put last, and those that may be: of calls that did not end. */
  readonly ended: Instant[];
  readonly begun: Instant[];
}

const HOUR = DAY / 24n;
const livesOf = (db: Db, { prefix }: Lives) =>
  expiring(db, Session, { expires: 'until', every: 'hour', longest: { hours: 4 }, prefix });

const lifeOf = async (world: Lives, db: Db, hours: bigint): Promise<void> => {
  const until = NOW.plus(HOUR * hours);
  world.begun.push(until);
  await livesOf(db, world).put({ id: 'a', until });
  world.ended.push(until);
};

/** Of all copies the one that ends last. */
async function lifeIn({ prefix }: Lives, peer: Peer): Promise<string | undefined> {
  const found: string[] = [];
  for (const name of await tablesOf(peer, prefix))
    for await (const { until } of peer.table(name).listEntities())
      found.push(Instant.fromDate(new Date(String(until))).toString());
  return found.sort().at(-1);
}

const SHORTENED: MatrixCase = matrixCase<Lives>({
  name: 'rolling tables: a life that is made shorter and longer',
  setUp: async ({ peer }) => {
    const prefix = `Lives${peer.name}${letters()}z`;
    const world: Lives = { prefix, ended: [], begun: [] };
    await lifeOf(world, peer.open({ now: () => NOW.toDate().getTime() }), 3n);
    return world;
  },
  operation: async (world, db) => {
    for (const hours of [1n, 2n]) await lifeOf(world, db, hours);
  },
  always: async (world, { peer }) => {
    assert(await lifeIn(world, peer), 'There is no copy.');
  },
  finally: async (world, { peer }) => {
    const last = world.ended.at(-1);
    const open = world.begun.slice(world.begun.indexOf(last ?? NOW));
    const life = await lifeIn(world, peer);
    assert(
      open.some(each => each.toString() === life),
      `It ends at ${life}, and was put until ${open}.`,
    );
  },
});

crashMatrix('rolling', [
  rollingCase(
    'maintenance',
    async (world, db) => {
      await eventsOf(db, world).prepare();
      await eventsOf(db, world).expire();
    },
    async (world, db) => {
      await eventsOf(db, world).expire();
      await eventsOf(db, world).prepare({ count: 2 });
    },
  ),
  rollingCase(
    'the first rows of tables',
    (world, db) => written(world, db, [10_001, 10_002, 10_003]),
    async (world, db) => {
      await written(world, db, [20_002, 20_001]);
      await eventsOf(db, world).expire();
    },
  ),
  SHORTENED,
]);
