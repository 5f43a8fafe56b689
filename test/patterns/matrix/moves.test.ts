// A row that is moved into an archive while programs change it: it is somewhere at every moment, as it was last.
import assert from 'node:assert/strict';
import { move } from '#patterns/flows';
import { annaKey, staffOf } from '../flows/flow-setting.js';
import { anna, Employee } from '../support/employee.js';
import { assertIdle, type MatrixCase, type RawRow, rawRows } from './case.js';
import { crashMatrix } from './matrix.js';

const viewsOf = (row: RawRow | undefined): bigint => BigInt(String(row?.views ?? -1));

const MOVED: MatrixCase = {
  name: 'a row that is moved',
  setUp: async ({ peer, db, newName }) => {
    const [fromTable, toTable] = [await peer.newTable(), await peer.newTable()];
    const moves = move(newName('move'), { from: Employee, to: Employee, fromTable, toTable });
    await moves.flow.createQueues(db);
    await staffOf(db, fromTable).create(anna);
    /** The last change that was acknowledged. */
    let last: bigint = anna.views;
    let isStarted = false;
    const places = async () => {
      const [[row], [copy]] = [await rawRows(peer, fromTable), await rawRows(peer, toTable)];
      return { row, copy };
    };
    return {
      operation: async own => {
        await moves.start(own, annaKey);
        isStarted = true;
      },
      rival: async own => {
        for (let n = 0; n < 2; n++) {
          const row = await staffOf(own, fromTable).mutate(
            annaKey,
            each => each && { ...each, views: each.views + 1n },
          );
          if (row !== undefined) last = row.value.views;
          // Readers see it, wherever it is on its way.
          const found = await moves.get(own, annaKey);
          assert(found, 'A reader finds the row in neither place.');
          assert(found.row.value.views >= last, 'A reader finds an older version.');
        }
      },
      work: process => moves.flow.worker(process.db, process.worker),
      always: async () => {
        const before = last;
        const { row, copy } = await places();
        const found = row ?? copy;
        assert(found, 'The row is in neither table.');
        assert(viewsOf(found) >= before, `The row has ${viewsOf(found)} views, and had ${before}.`);
      },
      finally: async () => {
        const { row, copy } = await places();
        if (isStarted) assert.equal(row, undefined, 'The row is still where it was.');
        assert(row === undefined || copy === undefined, 'The row is in both tables.');
        const { value } = (await staffOf(db, row ? fromTable : toTable).get(annaKey)) ?? {};
        assert(value !== undefined && value.views >= last, 'The last version is lost.');
        assert.deepEqual({ ...value, views: anna.views }, anna, 'A value is lost on the way.');
        await assertIdle(moves.flow, db);
      },
    };
  },
};

crashMatrix('moves', [MOVED]);
