// A table or a queue that another client drops between the moment an operation finds it and the moment it acts: it answers as if
// the space had never been there. Each operation on each service, on a store that drops what it has just shown.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { type Operation as QueueOperation, execute as runQueue } from '#queues';
import { openMemoryStore, type Store } from '#store';
import { execute as runTable, type Operation as TableOperation } from '#tables';
import { changed } from './run/planted-faults.js';

const now = 17_000_000_000_000_000n;
const clock = () => now;
const account = 'account1';

const dropping = changed(inner => ({
  getSpace: async (...call) => {
    const space = await inner.getSpace(...call);
    if (space) await inner.dropSpace(space);
    return space;
  },
}));

const codeOf = (running: Promise<{ readonly kind: string }>): Promise<string> =>
  running.then(
    ({ kind }) => kind,
    (error: { readonly code?: string }) => error.code ?? String(error),
  );

const table = 'People';
const onEntity = { table, key: { partitionKey: 'p', rowKey: 'r' } };
const condition = { kind: 'any' } as const;
const insert = { kind: 'insertEntity', ...onEntity, properties: [] } as const;
const TABLE_OPERATIONS: readonly TableOperation[] = [
  insert,
  { kind: 'updateEntity', ...onEntity, properties: [], condition },
  { kind: 'mergeEntity', ...onEntity, properties: [], condition },
  { kind: 'insertOrReplaceEntity', ...onEntity, properties: [] },
  { kind: 'insertOrMergeEntity', ...onEntity, properties: [] },
  { kind: 'deleteEntity', ...onEntity, condition },
  { kind: 'submitTransaction', operations: [insert] },
  { kind: 'setTableAcl', table, identifiers: [] },
  { kind: 'deleteTable', table },
];

const EXPECTED: Readonly<Record<string, string>> = {
  submitTransaction: 'ChangesetFailure: 0:TableNotFound',
  deleteTable: 'ResourceNotFound',
};

test('a table that is dropped under an operation is not found', async () => {
  for (const operation of TABLE_OPERATIONS) {
    const store = openMemoryStore({ clock });
    const run = (one: TableOperation, to: Store = store) =>
      runTable(one, { store: to, account, within: undefined }, clock);
    await run({ kind: 'createTable', table });
    await run(insert);
    const code = await codeOf(run(operation, dropping(store)));
    assert.equal(code, EXPECTED[operation.kind] ?? 'TableNotFound', operation.kind);
  }
});

const queue = 'jobs';
const text = 'a message';
const QUEUE_OPERATIONS: readonly ((held: { id: string; receipt: string }) => QueueOperation)[] = [
  () => ({ kind: 'putMessage', queue, text, visibilitySeconds: 0, timeToLiveSeconds: undefined }),
  held => ({ kind: 'updateMessage', queue, ...held, visibilitySeconds: 1, text }),
  held => ({ kind: 'deleteMessage', queue, ...held }),
  () => ({ kind: 'clearMessages', queue }),
  () => ({ kind: 'setQueueMetadata', queue, metadata: [] }),
  () => ({ kind: 'setQueueAcl', queue, identifiers: [] }),
  () => ({ kind: 'deleteQueue', queue }),
];

test('a queue that is dropped under an operation is not found', async () => {
  for (const operationOn of QUEUE_OPERATIONS) {
    const store = openMemoryStore({ clock });
    const run = (one: QueueOperation, to: Store = store) =>
      runQueue(one, { store: to, account, ids: randomUUID }, clock);
    await run({ kind: 'createQueue', queue, metadata: [] });
    const put = await run({
      kind: 'putMessage',
      queue,
      text,
      visibilitySeconds: 0,
      timeToLiveSeconds: undefined,
    });
    assert(put.kind === 'messagePut');
    const operation = operationOn(put.message);
    assert.equal(await codeOf(run(operation, dropping(store))), 'QueueNotFound', operation.kind);
  }
});
