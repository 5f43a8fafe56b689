// A row that is moved into an archive while programs change it: it is somewhere at every moment, as it was last.
import assert from 'node:assert/strict';
import { type Move, move } from '#patterns/flows';
import { annaKey, staffOf } from '../flows/flow-setting.js';
import { anna, Employee } from '../support/employee.js';
import { assertIdle, type Ground, type MatrixCase, matrixCase, type RawRow, rawRows } from './case.js';
import { crashMatrix } from './matrix.js';

type StaffMove = Move<typeof Employee, typeof Employee>;

interface World {
  readonly table: string;
  readonly other: string;
  readonly moves: StaffMove;
  /** The last change that was acknowledged. */
  views: bigint;
  isStarted: boolean;
}

type MoveOf = (table: string, other: string, name: string) => StaffMove;

const carefully: MoveOf = (table, other, name) =>
  move(name, { from: Employee, to: Employee, fromTable: table, toTable: other });

async function places({ table, other }: World, { peer }: Ground) {
  const [[row], [copy]] = [await rawRows(peer, table), await rawRows(peer, other)];
  return { row, copy };
}

const viewsOf = (row: RawRow | undefined): bigint => BigInt(String(row?.views ?? -1));

async function assertSomewhere(world: World, ground: Ground): Promise<void> {
  const { views } = world;
  const { row, copy } = await places(world, ground);
  const found = row ?? copy;
  assert(found, 'The row is in neither table.');
  assert(viewsOf(found) >= views, `The row has ${viewsOf(found)} views, and had ${views}.`);
}

const moved = (moveOf = carefully): MatrixCase =>
  matrixCase<World>({
    name: 'a row that is moved',
    setUp: async ({ peer, db, newName }) => {
      const [table, other] = [await peer.newTable(), await peer.newTable()];
      const moves = moveOf(table, other, newName('move'));
      await moves.flow.createQueues(db);
      await staffOf(db, table).create(anna);
      return { table, other, moves, views: anna.views as bigint, isStarted: false };
    },
    operation: async (world, db) => {
      await world.moves.start(db, annaKey);
      world.isStarted = true;
    },
    rival: async (world, db) => {
      for (let n = 0; n < 2; n++) {
        const row = await staffOf(db, world.table).mutate(
          annaKey,
          each => each && { ...each, views: each.views + 1n },
        );
        if (row !== undefined) world.views = row.value.views;
        // Readers see it, wherever it is on its way.
        const found = await world.moves.get(db, annaKey);
        assert(found, 'A reader finds the row in neither place.');
        assert(found.row.value.views >= world.views, 'A reader finds an older version.');
      }
    },
    work: ({ moves }, process) => moves.flow.worker(process.db, process.worker),
    always: assertSomewhere,
    finally: async (world, ground) => {
      const { row, copy } = await places(world, ground);
      if (world.isStarted) assert.equal(row, undefined, 'The row is still where it was.');
      assert(row === undefined || copy === undefined, 'The row is in both tables.');
      const { value } = (await staffOf(ground.db, row ? world.table : world.other).get(annaKey)) ?? {};
      const { views, ...others } = anna;
      assert(value !== undefined && value.views >= world.views, 'The last version is lost.');
      assert.deepEqual({ ...value, views }, { ...others, views }, 'A value is lost on the way.');
      await assertIdle(world.moves.flow, ground.db);
    },
  });

crashMatrix('moves', [moved()]);
