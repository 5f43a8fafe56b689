// Wide entities: after each request all their rows are of one write, and none of an earlier one is left.
import assert from 'node:assert/strict';
import type { Db } from '#patterns';
import { wideRepo } from '#patterns/wide';
import { numberOf, type Wide, wideOf, wideValue } from '../shapes/wide-world.js';
import { type MatrixCase, type RawRow, rawRows } from './case.js';
import { crashMatrix } from './matrix.js';

/** Two rows. */
const COUNT = 300;

/** What is there is one write's, and stands in as many rows as the first one names: by the official client alone. */
function assertWhole(rows: readonly RawRow[]): void {
  for (const id of ['a', 'b']) {
    const own = rows.filter(({ rowKey = '' }) => rowKey.split(' ')[0] === `wide!${id}`);
    const [first] = own;
    if (first === undefined) continue;
    assert(first._pieces instanceof Uint8Array, `The first row of ${id} is missing.`);
    assert.equal(own.length, 1 + first._pieces.length / 16, `Rows of ${id} are left, or missing.`);
    numberOf(Object.assign({}, ...own));
    assert.deepEqual(
      own.slice(1).map(({ _piece }) => Buffer.from(_piece as Uint8Array).toString('hex')),
      Buffer.from(first._pieces).toString('hex').match(/.{32}/g) ?? [],
    );
  }
}

const rowsOf = (db: Db, of: Wide) => wideRepo(db, of);

const wideCase = (
  name: string,
  operation: (rows: ReturnType<typeof rowsOf>) => Promise<unknown>,
): MatrixCase => ({
  name: `a wide entity: ${name}`,
  setUp: async ({ peer, db }) => {
    const Wide = wideOf(await peer.newTable(), COUNT);
    await rowsOf(db, Wide).create(wideValue('a', COUNT, 0, 'old'));
    return {
      operation: own => operation(rowsOf(own, Wide)),
      rival: async own => {
        const rows = rowsOf(own, Wide);
        await rows.upsert(wideValue('a', COUNT, 5));
        await rows.mutate({ id: 'a' }, () => wideValue('a', COUNT, 6, 'rival'));
      },
      always: async () => assertWhole(await rawRows(peer, Wide.table)),
    };
  },
});

crashMatrix('wide', [
  wideCase('replace', rows => rows.mutate({ id: 'a' }, () => wideValue('a', COUNT, 1))),
  wideCase('create', rows => rows.create(wideValue('b', COUNT, 1))),
  wideCase('merge of a value into more rows', rows =>
    rows.merge({ key: { id: 'a' }, etag: '*' }, { note: 'x'.repeat(524_000) }),
  ),
  wideCase('upsert', rows => rows.upsert(wideValue('a', COUNT, 2))),
  wideCase('delete', rows => rows.deleteIfExists({ key: { id: 'a' }, etag: '*' })),
]);
