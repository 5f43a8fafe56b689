// The cost of writes and reads of series and log books. docs/patterns/series.md and docs/patterns/logbook.md have the tables.
import { type Db, entity, Instant, key, type StandardSchema, t } from '#patterns';
import { type LogDurability, logBook } from '#patterns/logbook';
import { ring, series, seriesOf } from '#patterns/series';
import { COST_CONTAINER, COST_TABLE, type CostColumn, costTable, type Scene } from './cost-table.js';

/** The operation of a line; undefined if there is none. */
type Act = (() => Promise<unknown>) | undefined;

/** A column whose lines run separately, each on data of its own. */
const columnOf = (
  title: string,
  acts: (db: Db, last: (clear: () => Promise<void>) => void) => Promise<readonly Act[]>,
): CostColumn => ({
  title,
  prepare: async (db): Promise<Scene> => {
    let clear = async (): Promise<void> => undefined;
    const made = await acts(db, given => {
      clear = given;
    });
    return { ready: async () => line => made[line]?.(), clear: () => clear() };
  },
});

const Site = entity('Site', {
  version: 1,
  table: COST_TABLE,
  props: {
    site: t.int32(),
    hits: series(t.int32(), 24),
    load: ring(t.int32(), { slots: 24, every: 'hour' }),
  },
  partition: key('site'),
  row: p => key(p.site),
});

const SERIES_LINES = [
  '`set`, `setAt` of a new row',
  '`set`, `setAt` of a row that is there',
  '`mutate`, `mutateAt`',
  'the first `add` of a counter',
  'each further `add`',
  '`slots`, `last`',
  '`sum`',
] as const;

let sites = 0;

/** For docs/patterns/series.md. */
export const seriesCosts = (): Promise<string> =>
  costTable(SERIES_LINES, [
    columnOf('a series', async db => {
      const hits = seriesOf(db, Site, 'hits');
      const at = { site: ++sites };
      await hits.set(at, 7, 1);
      const counter = hits.counter(at, 2);
      await counter.add(1);
      return [
        () => hits.set({ site: ++sites }, 7, 1),
        () => hits.set(at, 8, 1),
        () => hits.mutate(at, 7, now => (now ?? 0) + 1),
        () => hits.counter(at, 3).add(1),
        () => counter.add(1),
        () => hits.slots(at),
        () => hits.sum(at),
      ];
    }),
    columnOf('a ring', async db => {
      const load = seriesOf(db, Site, 'load');
      const at = { site: ++sites };
      const now = Instant.now();
      await load.setAt(at, now, 1);
      return [
        () => load.setAt({ site: ++sites }, now, 1),
        () => load.setAt(at, now, 2),
        () => load.mutateAt(at, now, before => (before ?? 0) + 1),
        undefined,
        undefined,
        () => load.last(at, now),
        undefined,
      ];
    }),
  ]);

const LOG_LINES = [
  'the first `append`, and `flush`',
  'another `append`',
  'a hundred at once, and `flush`',
  '`close`',
  '`read` of a minute, in one blob',
] as const;

const anything: StandardSchema<number, number> = {
  '~standard': { version: 1, vendor: 'shelfmark', validate: value => ({ value: value as number }) },
};

let books = 0;

const logColumn = (title: string, durable: LogDurability): CostColumn =>
  columnOf(title, async (db, last) => {
    const opened = () =>
      logBook(db, `book-${++books}`, anything, { container: COST_CONTAINER, every: 'day', durable });
    const [log, other] = [opened(), opened()];
    last(async () => {
      for (const each of [log, other]) await each.close();
    });
    const from = await log.append(1);
    await log.flush();
    const to = Instant.fromTicks(from.ticks + 600_000_000n);
    return [
      async () => {
        await other.append(1);
        await other.flush();
      },
      () => log.append(2),
      async () => {
        await Promise.all(Array.from({ length: 100 }, (_, each) => log.append(each)));
        await log.flush();
      },
      () => log.close(),
      async () => {
        for await (const _ of log.read(from, to));
      },
    ];
  });

/** For docs/patterns/logbook.md. */
export const logCosts = (): Promise<string> =>
  costTable(LOG_LINES, [
    logColumn("`durable: 'each'`", 'each'),
    logColumn('buffered', { milliseconds: 60_000, bytes: 1_000_000 }),
  ]);
