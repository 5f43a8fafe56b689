// The engine on a cluster, at the store contract: without HTTP, authentication or an entity.
import assert from 'node:assert/strict';
import type { Budget, Engine, Space } from '../../packages/store/index.js';
import { scatter } from '../load/gaps.js';
import { partitionKey, rowKey } from '../load/rows.js';
import type { Sample } from '../subjects/subject.js';
import { closedLoop, timed } from './loop.js';
import { type Job, READ_ROWS } from './works.js';

const NO_BOUND = Number.POSITIVE_INFINITY;
const ALL: Budget = { rows: NO_BOUND, bytes: NO_BOUND, examined: NO_BOUND, milliseconds: NO_BOUND };
const START = { from: { partition: '', key: '' } };

export function runEngine(store: Engine, { shape, space, value, rows, seconds }: Job): Promise<Sample> {
  if (shape.kind === 'scan') return timed(rows, () => scan(store, space, rows));
  if (shape.kind === 'read')
    return closedLoop(shape.clients, seconds, 1, async (_, sequence) => {
      const row = scatter(sequence, READ_ROWS);
      const [found] = await store.read(space, partitionKey(row, shape.partitionRows), [rowKey(row)]);
      assert(found !== undefined, `Row ${row} is not there.`);
    });
  const { clients, size, partitions } = shape;
  return closedLoop(clients, seconds, size, (client, sequence) => {
    const keys = Array.from({ length: size }, (_, offset) => rowKey(sequence * size + offset));
    const puts = keys.map(key => ({ key, value }));
    return store.commit(space, `p${client % partitions}`, { keys }, found => {
      assert(
        found.keys.every(row => row === undefined),
        'A new row is there already.',
      );
      return { result: undefined, puts };
    });
  });
}

async function scan(store: Engine, space: Space, rows: number): Promise<void> {
  let seen = 0;
  const count = (): boolean => {
    seen += 1;
    return true;
  };
  for (let range = START; ; ) {
    const { next } = await store.scan(space, range, ALL, count);
    if (next === undefined) break;
    range = { from: next };
  }
  assert.equal(seen, rows);
}
