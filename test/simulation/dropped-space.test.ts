// A queue that another client drops between the moment an operation finds it and the moment it acts: it answers as if the
// queue had never existed. For the operations that the simulation does not have, on a store that drops what it has just
// returned.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { execute, type Operation } from '#queues';
import { openMemoryStore, type Store } from '#store';
import { changed } from './run/planted-faults.js';

const clock = () => 17_000_000_000_000_000n;
const queue = 'jobs';

const dropping = changed(inner => ({
  getSpace: async (...call) => {
    const space = await inner.getSpace(...call);
    if (space) await inner.dropSpace(space);
    return space;
  },
}));

test('a queue that is dropped under a change of its settings is not found', async () => {
  for (const operation of [
    { kind: 'setQueueMetadata', queue, metadata: [] },
    { kind: 'setQueueAcl', queue, identifiers: [] },
  ] as const) {
    const store = openMemoryStore({ clock });
    const run = (one: Operation, to: Store = store) =>
      execute(one, { store: to, account: 'account1', ids: randomUUID }, clock);
    await run({ kind: 'createQueue', queue, metadata: [] });
    await assert.rejects(run(operation, dropping(store)), { code: 'QueueNotFound' }, operation.kind);
  }
});
