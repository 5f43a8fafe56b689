// Series: a slot has the value of its one writer, with concurrent writers of other slots; a counter counts each call that returned once, and one that did not at most once.
import { type Db, entity, key, t } from '#patterns';
import { series, seriesOf } from '#patterns/series';
import { type MatrixCase, rawRows, Tally } from './case.js';
import { crashMatrix } from './matrix.js';

const siteOf = (table: string) =>
  entity('Site', {
    version: 1,
    table,
    props: { site: t.string(), hits: series(t.int32(), 4) },
    partition: p => key(p.site),
    row: key('site'),
  });

const a = { site: 'a' } as const;
const slotsOf = (db: Db, Site: ReturnType<typeof siteOf>) => seriesOf(db, Site, 'hits');
type Slots = ReturnType<typeof slotsOf>;
/** Writes the values of one slot; each is one more than the one before. */
type WriteOf = (slots: Slots, slot: number) => (value: number) => Promise<unknown>;

const setting: WriteOf = (slots, slot) => value => slots.set(a, slot, value);

const seriesCase = (name: string, writeOf: WriteOf): MatrixCase => ({
  name: `a series: ${name}`,
  setUp: async ({ peer }) => {
    const Site = siteOf(await peer.newTable());
    const tally = new Tally();
    const act = async (db: Db, slot: number, of: WriteOf): Promise<void> => {
      const write = of(slotsOf(db, Site), slot);
      for (const value of [1, 2]) await tally.up(slot, () => write(value));
    };
    return {
      operation: db => act(db, 0, writeOf),
      rival: db => act(db, 3, setting),
      always: async () => {
        const [row] = await rawRows(peer, Site.table);
        for (const slot of [0, 1, 2, 3]) tally.check(slot, Number(row?.[`hits${slot}`] ?? 0));
      },
    };
  },
});

crashMatrix('series', [
  seriesCase('slots that are set', setting),
  seriesCase('a counter', (slots, slot) => {
    const counter = slots.counter(a, slot);
    return () => counter.add(1);
  }),
  seriesCase('a slot that is computed', (slots, slot) => () => slots.mutate(a, slot, now => (now ?? 0) + 1)),
]);
