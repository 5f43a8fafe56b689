// Series: a slot has the value of its one writer, with concurrent writers of other slots; a counter counts each call that returned once, and one that did not at most once.
import assert from 'node:assert/strict';
import { type Db, entity, key, t } from '#patterns';
import { series, seriesOf } from '#patterns/series';
import { type Ground, type MatrixCase, matrixCase, rawRows } from './case.js';
import { crashMatrix } from './matrix.js';

const siteOf = (table: string) =>
  entity('Site', {
    version: 1,
    table,
    props: { site: t.string(), hits: series(t.int32(), 4) },
    partition: p => key(p.site),
    row: key('site'),
  });

interface World {
  readonly Site: ReturnType<typeof siteOf>;
  /** Acknowledged writes: the least value of a slot; the greatest is that of a call that did not return. */
  readonly least: number[];
  readonly most: number[];
}

const setUp = async ({ peer }: Ground): Promise<World> => ({
  Site: siteOf(await peer.newTable()),
  least: [0, 0, 0, 0],
  most: [0, 0, 0, 0],
});

const slotsOf = (db: Db, { Site }: World) => seriesOf(db, Site, 'hits');
const a = { site: 'a' } as const;

/** Calls whose ends are noted. */
async function noted(world: World, slot: number, value: number, call: () => Promise<unknown>): Promise<void> {
  world.most[slot] = value;
  await call();
  world.least[slot] = value;
}

async function assertSlots(world: World, { peer }: Ground): Promise<void> {
  const [row] = await rawRows(peer, world.Site.table);
  for (const slot of [0, 1, 2, 3]) {
    const value = Number(row?.[`hits${slot}`] ?? 0);
    const [least, most] = [world.least[slot] ?? 0, world.most[slot] ?? 0];
    assert(
      least <= value && value <= most,
      `Slot ${slot} is ${value}, and should be from ${least} to ${most}.`,
    );
  }
}

const seriesCase = (name: string, operation: MatrixCase<World>['operation']) =>
  matrixCase<World>({
    name: `a series: ${name}`,
    setUp,
    operation,
    rival: async (world, db) => {
      for (const value of [1, 2]) await noted(world, 3, value, () => slotsOf(db, world).set(a, 3, value));
    },
    always: assertSlots,
    finally: assertSlots,
  });

crashMatrix('series', [
  seriesCase('slots that are set', async (world, db) => {
    for (const value of [1, 2]) await noted(world, 0, value, () => slotsOf(db, world).set(a, 0, value));
  }),
  seriesCase('a counter', async (world, db) => {
    const counter = slotsOf(db, world).counter(a, 1);
    for (const value of [1, 2]) await noted(world, 1, value, () => counter.add(1));
  }),
  seriesCase('a slot that is computed', async (world, db) => {
    for (const value of [1, 2])
      await noted(world, 2, value, () => slotsOf(db, world).mutate(a, 2, now => (now ?? 0) + 1));
  }),
]);
