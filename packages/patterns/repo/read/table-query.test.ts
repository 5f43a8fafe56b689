// Reading to the end over pages that are cut anywhere, in every way there is, against the rows themselves.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Of } from '../../model/definition.js';
import { encodeEntity } from '../../model/encode-entity.js';
import { entity } from '../../model/entity.js';
import { key } from '../../model/keys/key.js';
import { codec } from '../../model/keys/key-codec.js';
import { lawOfTurns } from '../../testing/law.js';
import { TornSource } from '../../testing/torn-source.js';
import { t } from '../../values/property.js';
import { type FanOutOrder, fanOut } from './fan-out.js';
import { EntityReads } from './reads.js';
import type { Results } from './results.js';

const Item = entity('Item', {
  version: 1,
  table: 'Items',
  props: { shelf: t.string(), number: t.int32(), color: t.string(), weight: t.double().optional() },
  partition: p => key(p.shelf),
  row: p => key(p.number.as(codec.int(3))),
});
const Stray = entity('Stray', {
  version: 1,
  table: 'Items',
  props: { shelf: t.string(), name: t.string() },
  partition: p => key(p.shelf),
  row: p => key(p.name),
});

type ItemValue = Of<typeof Item>;

const SHELVES = ['a', 'b', 'c', 'd'];

const items = fc.uniqueArray(
  fc.record({
    shelf: fc.constantFrom(...SHELVES),
    number: fc.nat(30),
    color: fc.constantFrom('red', 'blue'),
    weight: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  }),
  { selector: ({ shelf, number }) => `${shelf}${number}`, maxLength: 40 },
);
const cuts = fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 1, maxLength: 12 });

/** Some of the cuts are zero: a page without rows. One is not, or reading would never end. */
function sourceOf(values: readonly ItemValue[], chances: readonly number[]): TornSource {
  const strays = SHELVES.map(shelf => encodeEntity(Stray, { shelf, name: '015x' }));
  let at = 0;
  return new TornSource([...values.map(value => encodeEntity(Item, value)), ...strays], () => {
    const chance = chances[at++ % chances.length] ?? 0;
    return at % chances.length === 0 ? 0.5 : chance < 0.3 ? 0 : chance;
  });
}

const byKeys = (a: ItemValue, b: ItemValue): number =>
  a.shelf === b.shelf ? a.number - b.number : a.shelf < b.shelf ? -1 : 1;
const byNumber = (a: ItemValue, b: ItemValue): number => a.number - b.number || (a.shelf < b.shelf ? -1 : 1);

const named = (values: readonly ItemValue[]): string[] =>
  values.map(({ shelf, number }) => `${number}${shelf}`);

type Found = Results<{ readonly value: ItemValue }>;

/** All that a run gives, by each of its ways. */
async function everyWay(run: Found, size: number): Promise<readonly string[][]> {
  const streamed: ItemValue[] = [];
  for await (const { value } of run) streamed.push(value);
  const paged: ItemValue[] = [];
  for await (const page of run.pages({ size })) {
    assert(page.items.length > 0 && page.items.length <= size);
    paged.push(...page.items.map(({ value }) => value));
  }
  const resumed: ItemValue[] = [];
  let resume: string | undefined;
  do {
    const page = await run.page({ size, resume });
    assert(page.items.length > 0 || page.next === undefined);
    resumed.push(...page.items.map(({ value }) => value));
    resume = page.next;
  } while (resume !== undefined);
  const taken = await run.take(1000);
  return [streamed, paged, resumed, taken.map(({ value }) => value)].map(named);
}

async function checkWays(run: Found, size: number, expected: readonly ItemValue[], isSorted = true) {
  const wanted = isSorted ? named(expected) : named(expected).sort();
  for (const found of await everyWay(run, size))
    assert.deepEqual(isSorted ? found : [...found].sort(), wanted);
  const some = await run.take(size);
  assert.equal(some.length, Math.min(size, expected.length));
}

describe('over pages that are cut anywhere', () => {
  const size = fc.integer({ min: 1, max: 9 });

  test('a partition, a range and a scan are read to their ends', () =>
    lawOfTurns(
      fc.asyncProperty(items, cuts, size, async (values, chances, count) => {
        const reads = new EntityReads(Item, { source: sourceOf(values, chances) });
        const sorted = [...values].sort(byKeys);
        const shelf = reads.partition({ shelf: 'b' });
        const onShelf = sorted.filter(each => each.shelf === 'b');
        await checkWays(shelf, count, onShelf);
        const range = shelf.rows({}, { number: { gt: 5, le: 20 } }).where(item => item.color.eq('red'));
        const isInRange = ({ number, color }: ItemValue) => number > 5 && number <= 20 && color === 'red';
        await checkWays(range, count, onShelf.filter(isInRange));
        const heavy = reads.scan().where(item => item.weight.ge(2));
        const scan = heavy.allowScan('a test');
        await checkWays(
          scan,
          count,
          sorted.filter(({ weight }) => Number(weight ?? 0) >= 2),
        );
      }),
      { cost: 100, least: 30, filter: 'read/table-query' },
    ));

  test('partitions at once give the same', () =>
    lawOfTurns(
      fc.asyncProperty(
        items,
        cuts,
        size,
        fc.constantFrom<FanOutOrder>('scan', 'rows', 'none'),
        fc.integer({ min: 1, max: 5 }),
        async (values, chances, count, order, concurrency) => {
          const reads = new EntityReads(Item, { source: sourceOf(values, chances) });
          const shelves = ['d', 'b', 'a', 'b'].map(shelf => reads.partition({ shelf }));
          const run = fanOut(shelves, { order, concurrency });
          const expected = values
            .filter(({ shelf }) => shelf !== 'c')
            .sort(order === 'scan' ? byKeys : byNumber);
          await checkWays(run, count, expected, order !== 'none');
        },
      ),
      { cost: 100, least: 30, filter: 'read/table-query' },
    ));

  test('rows that are asked for by their keys come in the order of a scan', () =>
    lawOfTurns(
      fc.asyncProperty(
        items,
        size,
        fc.array(fc.nat(30), { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        async (values, count, numbers, isFiltered) => {
          const source = sourceOf(values, [0.999]);
          const reads = new EntityReads(Item, { source });
          const wanted = reads
            .scan()
            .where(item => item.shelf.in(['c', 'a']))
            .where(item => item.number.in(numbers));
          const query = isFiltered ? wanted.where(item => item.color.eq('blue')) : wanted;
          const { class: queryClass, requests } = query.explain();
          assert(queryClass === 'points' || queryClass === 'point');
          const expected = values
            .filter(({ shelf, number }) => (shelf === 'a' || shelf === 'c') && numbers.includes(number))
            .filter(({ color }) => !isFiltered || color === 'blue')
            .sort(byKeys);
          source.count = 0;
          const found = await query.allowScan('none').take(1000);
          assert.deepEqual(named(found.map(({ value }) => value)), named(expected));
          assert(source.count >= requests.length);
          if (!isFiltered) assert.equal(source.count, requests.length);
          await checkWays(query.allowScan('none'), count, expected);
        },
      ),
      { cost: 100, least: 30, filter: 'read/table-query' },
    ));
});
