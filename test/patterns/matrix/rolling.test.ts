// Rolling tables: wherever a process ends, no table is dropped that is kept or another's, old ones go oldest first, the next call finishes the work, and a row whose write ended is in the table of its time, which
// concurrent writers make.
import assert from 'node:assert/strict';
import { type Db, entity, Instant, key, t } from '#patterns';
import { expiring, rolling } from '#patterns/rolling';
import { type Ground, type MatrixCase, rawRows } from './case.js';
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
/** Of other names too. */
const KEPT = ['20251230', '20251231', '2025122708', 'x20251227'];

let cases = 0;

/** A prefix that no other case has, without digits, and the names of the tables behind it: a server has those of many cases. */
function tablesOf({ peer }: Ground, what: string) {
  const digits = [...`${++cases}`].map(digit => String.fromCharCode(97 + Number(digit)));
  const prefix = `${what}${peer.name}${digits.join('')}z`;
  const filter = `TableName ge '${prefix}' and TableName lt '${prefix}~'`;
  const stamps = async (): Promise<readonly string[]> => {
    const names: string[] = [];
    for await (const { name = '' } of peer.client().listTables({ queryOptions: { filter } }))
      names.push(name.slice(prefix.length));
    return names.sort();
  };
  return { prefix, stamps };
}

/** What programs do with rolling tables of events. */
const eventsOf = (db: Db, prefix: string) =>
  rolling(db, Event, { time: 'at', every: 'day', keep: KEEP, prefix });
type Events = ReturnType<typeof eventsOf>;
type Operation = (events: Events, write: (...ids: readonly number[]) => Promise<void>) => Promise<unknown>;

const rollingCase = (name: string, operation: Operation, rival: Operation): MatrixCase => ({
  name: `rolling tables: ${name}`,
  setUp: async ground => {
    const { peer, db } = ground;
    const { prefix, stamps } = tablesOf(ground, 'Matrix');
    for (const stamp of [...OLD, ...KEPT]) await peer.client().createTable(`${prefix}${stamp}`);
    /** Rows whose writes ended. */
    const ended: { readonly id: number; readonly at: Instant }[] = [];
    const acting = (own: Db, act: Operation) => {
      const events = eventsOf(own, prefix);
      return act(events, async (...ids) => {
        for (const id of ids) {
          const row = { id, at: NOW.plus(DAY * BigInt((id % 3) - 1)) };
          await events.create(row);
          ended.push(row);
        }
      });
    };
    const assertKept = async (): Promise<readonly string[]> => {
      const there = await stamps();
      assert.deepEqual(
        KEPT.filter(stamp => !there.includes(stamp)),
        [],
      );
      const left = OLD.filter(stamp => there.includes(stamp));
      assert.deepEqual(left, OLD.slice(OLD.length - left.length));
      return left;
    };
    const assertRows = async (): Promise<void> => {
      for (const { id, at } of ended) {
        const rows = await rawRows(peer, `${prefix}${at.toString().slice(0, 10).replaceAll('-', '')}`);
        const own = rows.filter(({ rowKey = '' }) => Event.plan.row.decode(rowKey).id === id);
        assert.equal(own.length, 1, `The row ${id} of ${at} among ${rows.map(({ rowKey }) => rowKey)}`);
      }
    };
    return {
      operation: own => acting(own, operation),
      rival: own => acting(own, rival),
      always: assertKept,
      finally: async () => {
        await assertRows();
        const events = eventsOf(db, prefix);
        await events.expire(NOW);
        assert.deepEqual((await events.explain(NOW)).dropped, []);
        assert.deepEqual(await assertKept(), []);
        await assertRows();
      },
    };
  },
});

const Session = entity('Session', {
  version: 1,
  table: 'Session',
  props: { id: t.string(), until: t.instant() },
  partition: p => key(p.id),
  row: key('session'),
});

const SHORTENED: MatrixCase = {
  name: 'rolling tables: a life that is made shorter and longer',
  setUp: async ground => {
    const { peer } = ground;
    const { prefix, stamps } = tablesOf(ground, 'Lives');
    /** Ends of the life, as they were put, and how many of these calls have ended. */
    const begun: string[] = [];
    let ended = 0;
    const put = async (db: Db, hours: bigint): Promise<void> => {
      const until = NOW.plus((DAY / 24n) * hours);
      begun.push(until.toString());
      const lives = expiring(db, Session, { expires: 'until', every: 'hour', longest: { hours: 4 }, prefix });
      await lives.put({ id: 'a', until });
      ended = begun.length;
    };
    /** Of all copies the one that ends last. */
    const life = async (): Promise<string | undefined> => {
      const found: string[] = [];
      for (const stamp of await stamps())
        for (const { until } of await rawRows(peer, `${prefix}${stamp}`))
          found.push(Instant.fromDate(new Date(String(until))).toString());
      return found.sort().at(-1);
    };
    await put(peer.open({ now: () => NOW.toDate().getTime() }), 3n);
    return {
      operation: async db => {
        for (const hours of [1n, 2n]) await put(db, hours);
      },
      always: async () => assert(await life(), 'There is no copy.'),
      finally: async () => {
        const [found, open] = [await life(), begun.slice(ended - 1)];
        assert(open.includes(found ?? ''), `It ends at ${found}, and was put until ${open}.`);
      },
    };
  },
};

crashMatrix('rolling', [
  rollingCase(
    'maintenance',
    async events => {
      await events.prepare();
      await events.expire();
    },
    async events => {
      await events.expire();
      await events.prepare({ count: 2 });
    },
  ),
  rollingCase(
    'the first rows of tables',
    (_, write) => write(10_001, 10_002, 10_003),
    async (events, write) => {
      await write(20_002, 20_001);
      await events.expire();
    },
  ),
  SHORTENED,
]);
