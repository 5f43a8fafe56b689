// The statistics of a table, compared with sums made by hand, and samples of tables that exceed the sample.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Checksum } from '../line/checksum.js';
import { formatContent } from '../line/line.js';
import { compareKeys, type Row } from '../line/row.js';
import { type KeyRange, WHOLE } from '../source/key-range.js';
import type { RowSource } from '../source/row-source.js';
import { NASTY_ROWS, rowOf } from '../testing/nasty-rows.js';
import { sampledRows } from './sampled-rows.js';
import { entitySize, StatsOfTable } from './table-stats.js';

describe('stats', () => {
  test('count rows, bytes, partitions and types, and find the largest', () => {
    const stats = new StatsOfTable();
    const rows = [
      rowOf('a', '1', [
        ['n', 'Int32', '1'],
        ['s', 'String', 'xy'],
      ]),
      rowOf('a', '2', [['n', 'String', '1']]),
      rowOf('b', '1', []),
    ];
    for (const row of rows) stats.add(row);
    const checksum = new Checksum();
    for (const row of rows) checksum.addContent(formatContent(row));
    assert.deepEqual(stats.result('t'), {
      table: 't',
      // 4 + 4 + (8 + 2 + 4) + (8 + 2 + 8), 4 + 4 + (8 + 2 + 6), 4 + 4
      bytes: 40 + 24 + 8,
      rows: 3,
      partitions: 2,
      checksum: String(checksum),
      largestEntities: [
        { PartitionKey: 'a', RowKey: '1', bytes: 40 },
        { PartitionKey: 'a', RowKey: '2', bytes: 24 },
        { PartitionKey: 'b', RowKey: '1', bytes: 8 },
      ],
      largestPartitions: [
        { PartitionKey: 'a', rows: 2, bytes: 64 },
        { PartitionKey: 'b', rows: 1, bytes: 8 },
      ],
      properties: [
        { name: 'n', types: { String: 1, Int32: 1 } },
        { name: 's', types: { String: 1 } },
      ],
    });
  });

  test('keep the largest ten of many, and any name', () => {
    const stats = new StatsOfTable();
    for (let i = 0; i < 30; i++)
      stats.add(rowOf(String(i).padStart(2, '0'), '', [['__proto__', 'String', 'x'.repeat(i)]]));
    const { largestEntities, properties, partitions } = stats.result('t');
    assert.equal(new StatsOfTable().result('t').checksum, '0'.repeat(32));
    assert.deepEqual(
      largestEntities.map(({ PartitionKey }) => PartitionKey),
      ['29', '28', '27', '26', '25', '24', '23', '22', '21', '20'],
    );
    assert.deepEqual(properties, [{ name: '__proto__', types: { String: 30 } }]);
    assert.equal(partitions, 30);
  });

  test('measure entities as Azure does', () => {
    const [row] = NASTY_ROWS.filter(({ rowKey }) => rowKey === 'many');
    assert(row);
    const names = Array.from({ length: 252 }, (_, i) => `p${i}`).join('').length;
    assert.equal(entitySize(row), 4 + 2 * 'namesmany'.length + 252 * 12 + 2 * names);
  });
});

/** A source that counts its pages. */
class ListSource implements RowSource {
  readonly name = 'list';
  pagesRead = 0;
  readonly #rows: readonly Row[];

  constructor(rows: readonly Row[]) {
    this.#rows = [...rows].sort(compareKeys);
  }

  async tables(): Promise<readonly string[]> {
    return ['t'];
  }

  #within({ from, until }: KeyRange): readonly Row[] {
    return this.#rows.filter(
      row =>
        (from === undefined || compareKeys(row, from) >= 0) &&
        (until === undefined || compareKeys(row, until) < 0),
    );
  }

  async split(_table: string, range: KeyRange): Promise<Row | undefined> {
    const [, ...after] = this.#within(range);
    return after[after.length >> 1];
  }

  async *pages(_table: string, range: KeyRange = WHOLE): AsyncGenerator<readonly Row[], void> {
    const within = this.#within(range);
    for (let at = 0; at < within.length; at += 1000) {
      this.pagesRead++;
      yield within.slice(at, at + 1000);
    }
  }
}

describe('a sample', () => {
  const sample = async (source: RowSource, count: number): Promise<readonly Row[]> => {
    const rows: Row[] = [];
    for await (const row of sampledRows(source, 't', count)) rows.push(row);
    return rows;
  };

  test('comes from all over a large table, in order, each row once', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) =>
      rowOf(`p${String(i % 400).padStart(3, '0')}`, String(i), []),
    );
    const list = new ListSource(rows);
    // As a dump is read.
    const fromStart: RowSource = { name: '', tables: () => list.tables(), pages: table => list.pages(table) };
    for (const [source, pages] of [
      [list, 75],
      [fromStart, 20],
    ] as const) {
      list.pagesRead = 0;
      const found = await sample(source, 500);
      assert(found.length > 300 && found.length <= 500, String(found.length));
      assert(found.every((row, i) => i === 0 || compareKeys(found[i - 1] ?? row, row) < 0));
      const first = found.filter(({ partitionKey }) => partitionKey < 'p200').length;
      assert(first > found.length / 10 && first < found.length * 0.9, `${first} of ${found.length}`);
      assert(list.pagesRead <= pages, String(list.pagesRead));
    }
  });

  test('of one large partition is spread over it', async () => {
    const rows = Array.from({ length: 5_000 }, (_, i) => rowOf('p', String(i).padStart(4, '0'), []));
    const found = await sample(new ListSource(rows), 100);
    assert(found.length > 50 && found.length <= 100);
    assert(found.some(({ rowKey }) => rowKey > '2500') && found.some(({ rowKey }) => rowKey < '2500'));
  });

  test('of a table with no more rows is the table, and never holds more than asked', async () => {
    const rows = Array.from({ length: 100 }, (_, i) => rowOf('p', String(i), []));
    for (const [count, least] of [
      [99, 1],
      [100, 100],
      [101, 100],
    ] as const) {
      const found = await sample(new ListSource(rows), count);
      assert(found.length >= least && found.length <= count, `${count}: ${found.length}`);
    }
    assert.deepEqual(await sample(new ListSource([]), 10), []);
  });
});
