// Entity group transactions: all operations or none, the index of the failed one, the rules between operations (protocol: batches#rules). The
// simulation has random ones against a model.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EntityWrite } from '../operation.js';
import { ChangesetFailure, type TableErrorCode } from '../table-error.js';
import {
  ANY,
  insert,
  keyOf,
  number,
  openTable,
  outcomeOf,
  stored,
  TABLE,
  type TestAccount,
  text,
} from '../testing/account.js';

const submit = ({ run }: TestAccount, ...operations: EntityWrite[]) =>
  run({ kind: 'submitTransaction', operations });
const inserting = (rowKey: string, partitionKey = 'p', table = TABLE): EntityWrite => ({
  kind: 'insertEntity',
  table,
  key: keyOf(rowKey, partitionKey),
  properties: [text('a', rowKey)],
});
const insertingMany = (count: number) => Array.from({ length: count }, (_, i) => inserting(`r${i}`));

async function assertRefused(
  account: TestAccount,
  operations: readonly EntityWrite[],
  code: TableErrorCode,
  index: number,
): Promise<void> {
  const error: unknown = await submit(account, ...operations).catch((reason: unknown) => reason);
  assert.ok(error instanceof ChangesetFailure, String(error));
  assert.deepEqual([error.error.code, error.index], [code, index]);
}

async function assertEmpty(account: TestAccount): Promise<void> {
  const query = {
    kind: 'queryEntities',
    table: TABLE,
    filter: undefined,
    top: 1000,
    from: undefined,
  } as const;
  assert.equal((await outcomeOf('entities', account.run(query))).rows.length, 0);
}

test('a failing operation at any index undoes all, and the refusal names its index', async () => {
  for (const [length, failing] of [
    [1, 0],
    [2, 0],
    [2, 1],
    [100, 0],
    [100, 50],
    [100, 99],
  ] as const) {
    const account = await openTable();
    const operations = insertingMany(length);
    operations[failing] = { kind: 'deleteEntity', table: TABLE, key: keyOf('missing'), condition: ANY };
    await assertRefused(account, operations, 'ResourceNotFound', failing);
    await assertEmpty(account);
  }
});

test('a merge that exceeds a limit fails with its index', async () => {
  const account = await openTable();
  const many = (prefix: string) => Array.from({ length: 150 }, (_, i) => number(`${prefix}${i}`, i));
  await insert(account, keyOf('r'), ...many('a'));
  const merge: EntityWrite = {
    kind: 'insertOrMergeEntity',
    table: TABLE,
    key: keyOf('r'),
    properties: many('b'),
  };
  await assertRefused(account, [inserting('a'), merge], 'TooManyProperties', 1);
  assert.equal(await stored(account, keyOf('a')), undefined);
});
