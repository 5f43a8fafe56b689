// The metadata of a table: what was written reads back, its form is pinned, and what is cut short is corrupt. Names of
// dropped tables: free at once, or reserved for as long as the option says (protocol: tables#deleted-names).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMemoryStore } from '#store';
import { execute } from './execute.js';
import type { Operation } from './operation.js';
import { TableError } from './table-error.js';
import { decodeTableMetadata, encodeTableMetadata, tableAddress } from './table-space.js';

const IDENTIFIERS = [
  { id: 'a', policy: { start: 1n, expiry: 2n, permission: 'r' } },
  { id: 'b', policy: undefined },
];

test('a table keeps the spelling of its name and its policies', () => {
  for (const name of ['abc', 'MyTable', 'T'.repeat(63)]) {
    for (const identifiers of [[], IDENTIFIERS])
      assert.deepEqual(decodeTableMetadata(encodeTableMetadata({ name, identifiers })), {
        name,
        identifiers,
      });
  }
});

test('the stored form is what later versions must read', () => {
  const bytes = encodeTableMetadata({ name: 'MyTable', identifiers: [] });
  assert.equal(bytes.toString('latin1'), '\u0007MyTable{"version":1,"value":[]}');
});

test('metadata that is cut short at any byte is corrupt', () => {
  const bytes = encodeTableMetadata({ name: 'MyTable', identifiers: IDENTIFIERS });
  for (let length = 0; length < bytes.length; length++) {
    const cut = bytes.subarray(0, length);
    assert.throws(() => decodeTableMetadata(cut), { name: 'StoreError', code: 'corrupt' }, String(length));
  }
});

test('names are compared without case', () => {
  const address = { account: 'account1', service: 'table', name: 'mytable' };
  assert.deepEqual(tableAddress('account1', 'MyTABLE'), address);
});

const SECOND = 10_000_000n;

/** The kind of an operation's outcome, or the code of its refusal. */
function openAccount(heldSeconds: bigint) {
  const time = { now: 15_778_405_200_000_000n };
  const clock = () => time.now;
  const deletion = heldSeconds > 0n ? { ticks: heldSeconds * SECOND, clock } : undefined;
  const context = { store: openMemoryStore({ clock }), account: 'account1', within: undefined, deletion };
  const run = async (operation: Operation): Promise<string> => {
    try {
      return (await execute(operation, context, clock)).kind;
    } catch (error) {
      assert.ok(error instanceof TableError);
      return error.code;
    }
  };
  return { time, run };
}

const create: Operation = { kind: 'createTable', table: 'People' };
const drop: Operation = { kind: 'deleteTable', table: 'people' };
const query: Operation = {
  kind: 'queryEntities',
  table: 'people',
  filter: undefined,
  top: 10,
  from: undefined,
};
const insert: Operation = {
  kind: 'insertEntity',
  table: 'People',
  key: { partitionKey: '', rowKey: '' },
  properties: [],
};

test('by default a dropped name is free at once', async () => {
  const { run } = openAccount(0n);
  for (const [operation, outcome] of [
    [create, 'tableCreated'],
    [insert, 'inserted'],
    [drop, 'tableDeleted'],
    [query, 'TableNotFound'],
    [create, 'tableCreated'],
    [insert, 'inserted'],
  ] as const) {
    assert.equal(await run(operation), outcome);
  }
});

test('a reserved name is refused until its time is over, again after each drop', async () => {
  const { run, time } = openAccount(40n);
  for (let round = 0; round < 2; round++) {
    assert.equal(await run(create), 'tableCreated');
    assert.equal(await run(drop), 'tableDeleted');
    time.now += 40n * SECOND - 1n;
    assert.equal(await run(create), 'TableBeingDeleted');
    assert.equal(await run(query), 'TableBeingDeleted');
    assert.equal(await run(insert), 'TableBeingDeleted');
    assert.equal(await run({ kind: 'getTableAcl', table: 'People' }), 'TableBeingDeleted');
    assert.equal(await run(drop), 'ResourceNotFound');
    assert.equal(await run({ ...create, table: `Others${round}` }), 'tableCreated');
    time.now += 1n;
    assert.equal(await run(query), 'TableNotFound');
  }
});
