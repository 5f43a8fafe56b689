// Entity group transactions: all operations or none, the index of the failed one, the rules between operations (protocol: batches#rules);
// and random ones against a model.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EntityWrite } from '../operation.js';
import { ChangesetFailure, type TableErrorCode } from '../table-error.js';
import {
  ANY,
  insert,
  keyOf,
  matching,
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

/** What the model knows of an entity: its properties, by name; the store's version is read when it is needed. */
type Model = Map<string, Map<string, number>>;

interface Step {
  readonly kind: EntityWrite['kind'];
  readonly rowKey: string;
  readonly condition: 'any' | 'current' | 'stale';
  readonly properties: readonly (readonly [string, number])[];
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    ...(['insertEntity', 'updateEntity', 'mergeEntity'] as const),
    ...(['insertOrReplaceEntity', 'insertOrMergeEntity', 'deleteEntity'] as const),
  ),
  rowKey: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  condition: fc.constantFrom('any', 'any', 'current', 'stale'),
  properties: fc.uniqueArray(fc.tuple(fc.constantFrom('x', 'y', 'z'), fc.nat({ max: 9 })), {
    selector: ([name]) => name,
  }),
});
const changeset = fc.uniqueArray(step, { selector: ({ rowKey }) => rowKey, minLength: 1 });

/** The code with which the step fails; otherwise applies it to the model. */
function apply(model: Model, { kind, rowKey, condition, properties }: Step): TableErrorCode | undefined {
  const old = model.get(rowKey);
  if (kind === 'insertEntity' && old) return 'EntityAlreadyExists';
  if (kind === 'updateEntity' || kind === 'mergeEntity' || kind === 'deleteEntity') {
    if (!old) return 'ResourceNotFound';
    if (condition === 'stale') return 'UpdateConditionNotSatisfied';
  }
  const isMerge = kind === 'mergeEntity' || kind === 'insertOrMergeEntity';
  if (kind === 'deleteEntity') model.delete(rowKey);
  else model.set(rowKey, new Map([...((isMerge && old) || []), ...properties]));
  return undefined;
}

async function operationOf(account: TestAccount, { kind, rowKey, condition, properties }: Step) {
  const version = (await stored(account, keyOf(rowKey)))?.version ?? 1n;
  const operation: EntityWrite = {
    kind,
    table: TABLE,
    key: keyOf(rowKey),
    condition: condition === 'any' ? ANY : matching(condition === 'current' ? version : version - 1n),
    properties: properties.map(([name, value]) => number(name, value)),
  };
  return operation;
}

async function assertStored(account: TestAccount, model: Model): Promise<void> {
  for (const rowKey of ['a', 'b', 'c', 'd', 'e']) {
    const found = await stored(account, keyOf(rowKey));
    assert.deepEqual(found && new Map(found.properties), model.get(rowKey), rowKey);
  }
}

test('random changesets leave what a model leaves', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(changeset, { maxLength: 8 }), async changesets => {
      const account = await openTable();
      let model: Model = new Map();
      for (const steps of changesets) {
        const next: Model = new Map(model);
        const operations = await Promise.all(steps.map(one => operationOf(account, one)));
        const codes = steps.map(one => apply(next, one));
        const failing = codes.findIndex(code => code !== undefined);
        const code = codes[failing];
        if (code === undefined) {
          await outcomeOf('transaction', submit(account, ...operations));
          model = next;
        } else await assertRefused(account, operations, code, failing);
        await assertStored(account, model);
      }
    }),
    { numRuns: 150 },
  );
});
