// Writes of one entity: the order of its properties, its versions, and where it is found. Conditions and results are those of
// submit-transaction.test.ts, whose model knows each operation, and of test/scenarios/entities.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition, EntityWrite } from '../operation.js';
import { ANY, insert, keyOf, openTable, outcomeOf, START, stored, TABLE, text } from '../testing/account.js';

const KEY = keyOf('r');
const OLD = [text('kept', 'old'), text('set', 'old')];
const NEW = [text('set', 'new'), text('added', 'new')];

const write = (kind: EntityWrite['kind'], condition: Condition, properties = NEW): EntityWrite => ({
  kind,
  table: TABLE,
  key: KEY,
  condition,
  properties,
});

test('an insert keeps the order of its properties, every later write puts them in ordinal order', async () => {
  const names = ['z', 'a', 'Z', '_', 'birthday', 'Birthday', 'é'];
  const properties = names.map(name => text(name, ''));
  const ordinal = ['Birthday', 'Z', '_', 'a', 'birthday', 'z', 'é'];
  const account = await openTable();
  await insert(account, KEY, ...properties);
  const found = async () => (await stored(account, KEY))?.properties.map(([name]) => name);
  assert.deepEqual(await found(), names);
  await account.run(write('mergeEntity', ANY, []));
  assert.deepEqual(await found(), ordinal);
  for (const kind of ['insertOrReplaceEntity', 'updateEntity', 'insertOrMergeEntity'] as const) {
    await account.run(write('deleteEntity', ANY));
    await insert(account, KEY, ...properties);
    await account.run(write(kind, ANY, properties));
    assert.deepEqual(await found(), ordinal, kind);
  }
});

test('versions rise with every write, also when the clock stands still or goes back, and across a delete', async () => {
  const account = await openTable();
  let last = await insert(account, KEY, ...OLD);
  const next = async (running: Promise<{ kind: string; version?: bigint }>) => {
    const { version } = await running;
    assert.ok(version !== undefined && version > last);
    assert.equal((await stored(account, KEY))?.version, version);
    last = version;
  };
  await next(outcomeOf('updated', account.run(write('insertOrReplaceEntity', ANY))));
  account.clock.now -= 1_000_000n;
  await next(outcomeOf('updated', account.run(write('mergeEntity', ANY, []))));
  await account.run(write('deleteEntity', ANY));
  await next(insert(account, KEY, ...OLD).then(version => ({ kind: 'inserted', version })));
  account.clock.now = START + 10n ** 9n;
  await next(outcomeOf('updated', account.run(write('updateEntity', ANY))));
  assert.equal(last, START + 10n ** 9n);
});
