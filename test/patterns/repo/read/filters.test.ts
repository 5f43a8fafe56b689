// Conditions against servers: what a server answers to a filter is what the plain evaluation says of each row; and what a class says that the server has to
// look at is enough.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import {
  classify,
  encodeBag,
  evaluate,
  formatFilter,
  type QuerySettings,
  Sender,
  TableRequests,
} from '#patterns/internals';
import {
  allRows,
  anyCondition,
  conditionOnKeys,
  readerOfRow,
  type TestRow,
} from '../../../../packages/patterns/testing/condition.js';
import { lawOfTurns } from '../../../../packages/patterns/testing/law.js';
import { describePeers } from '../../support/peers.js';

const TABLES = 4;
/** A law of an hour outlasts pauses of the whole machine, after which the library's own minute would be over. */
const TIMEOUT = 600_000;

const nameOf = ({ partitionKey, rowKey }: Pick<TestRow, 'partitionKey' | 'rowKey'>): string =>
  `${partitionKey}|${rowKey}`;

describePeers('filters', peer => {
  const requests = (): QuerySettings['source'] & TableRequests =>
    new TableRequests(new Sender(peer.client(), { timeoutMilliseconds: TIMEOUT }));
  const tables: { readonly table: string; readonly rows: readonly TestRow[] }[] = [];

  before(async () => {
    for (const rows of fc.sample(allRows, { numRuns: TABLES, seed: 20_261_121 })) {
      const table = await peer.newTable();
      tables.push({ table, rows });
      await Promise.all(
        rows.map(row => requests().write({ kind: 'create', table, row: encodeBag({ ...row, table }) })),
      );
    }
  });

  // Azurite compares values of different types by JavaScript's conversions (docs/patterns/azurite.md), and keys as it should.
  const conditions = peer.name === 'azurite' ? conditionOnKeys : anyCondition;

  test('are answered as they are evaluated', async () => {
    await lawOfTurns(
      fc.asyncProperty(conditions, fc.nat(TABLES - 1), async (condition, at) => {
        const { table, rows } = tables[at] ?? { table: '', rows: [] };
        const filter = formatFilter(condition);
        const page = await requests().queryPage({ table, filter });
        const found = page.rows.map(row => `${row.PartitionKey}|${row.RowKey}`);
        const expected = rows.filter(row => evaluate(condition, readerOfRow(row))).map(nameOf);
        assert.deepEqual(found, expected, filter);
        const { points, class: queryClass } = classify(condition);
        if (queryClass === 'point' || queryClass === 'points')
          assert(
            found.every(name => points.some(point => nameOf(point) === name)),
            filter,
          );
      }),
      { cost: 20, least: 80, filter: 'read/filters' },
    );
  });
});
