// Writes of one entity: each operation under each condition of If-Match (protocol: entities#conditions), its result, and
// its versions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Property } from '../entity/edm.js';
import type { Condition, EntityWrite } from '../operation.js';
import type { TableErrorCode } from '../table-error.js';
import {
  ANY,
  insert,
  keyOf,
  matching,
  number,
  openTable,
  outcomeOf,
  refusalOf,
  START,
  stored,
  TABLE,
  text,
} from '../testing/account.js';

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

/** The versions that `If-Match` may name, relative to the stored one. */
const CONDITIONS: readonly (readonly [string, (current: bigint) => Condition])[] = [
  ['*', () => ANY],
  ['the same', current => matching(current)],
  ['another', current => matching(current - 1n)],
  ['no time', () => matching(undefined)],
];

const REPLACED = [
  ['added', 'new'],
  ['set', 'new'],
];
const MERGED = [
  ['added', 'new'],
  ['kept', 'old'],
  ['set', 'new'],
];
const CONDITIONAL: readonly (readonly [EntityWrite['kind'], 'updated' | 'deleted', unknown])[] = [
  ['updateEntity', 'updated', REPLACED],
  ['mergeEntity', 'updated', MERGED],
  ['deleteEntity', 'deleted', undefined],
];

test('conditional writes of an existing entity', async () => {
  for (const [kind, done, left] of CONDITIONAL) {
    for (const [name, conditionOf] of CONDITIONS) {
      const account = await openTable();
      const version = await insert(account, KEY, ...OLD);
      const running = account.run(write(kind, conditionOf(version)));
      if (name === '*' || name === 'the same') {
        await outcomeOf(done, running);
        assert.deepEqual((await stored(account, KEY))?.properties, left, `${kind} ${name}`);
      } else {
        await refusalOf('UpdateConditionNotSatisfied', running);
        assert.equal((await stored(account, KEY))?.version, version, `${kind} ${name}`);
      }
    }
  }
});

test('conditional writes of a missing entity are 404, never 412', async () => {
  for (const [kind] of CONDITIONAL) {
    for (const [, conditionOf] of CONDITIONS) {
      const account = await openTable();
      await refusalOf('ResourceNotFound', account.run(write(kind, conditionOf(START))));
      assert.equal(await stored(account, KEY), undefined);
    }
  }
});

test('upserts write unconditionally', async () => {
  for (const [kind, left] of [
    ['insertOrReplaceEntity', REPLACED],
    ['insertOrMergeEntity', MERGED],
  ] as const) {
    const account = await openTable();
    await outcomeOf('updated', account.run(write(kind, ANY)));
    assert.deepEqual((await stored(account, KEY))?.properties, REPLACED, `${kind} of a new entity`);
    const other = await openTable();
    await insert(other, KEY, ...OLD);
    await outcomeOf('updated', other.run(write(kind, ANY)));
    assert.deepEqual((await stored(other, KEY))?.properties, left, kind);
  }
});

test('an insert never overwrites', async () => {
  const account = await openTable();
  const version = await insert(account, KEY, ...OLD);
  await refusalOf('EntityAlreadyExists', account.run(write('insertEntity', ANY)));
  assert.equal((await stored(account, KEY))?.version, version);
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

test('a merge may change the type of a property, and changes only what it names', async () => {
  const account = await openTable();
  await insert(account, KEY, text('a', 'x'), text('b', 'y'), text('__proto__', 'z'));
  await account.run(write('mergeEntity', ANY, [number('a', 5), number('constructor', 6)]));
  assert.deepEqual((await stored(account, KEY))?.properties, [
    ['__proto__', 'z'],
    ['a', 5],
    ['b', 'y'],
    ['constructor', 6],
  ]);
});

/** Whether a merge of the second into the first is within the limits. */
async function mergeOf(first: Property[], second: Property[], code?: TableErrorCode): Promise<void> {
  for (const kind of ['mergeEntity', 'insertOrMergeEntity'] as const) {
    const account = await openTable();
    const version = await insert(account, KEY, ...first);
    const running = account.run(write(kind, ANY, second));
    if (code === undefined) {
      await outcomeOf('updated', running);
    } else {
      await refusalOf(code, running);
      assert.equal((await stored(account, KEY))?.version, version);
    }
  }
}

test('the merged entity must keep the limits', async () => {
  const flags = (prefix: string, count: number) =>
    Array.from(
      { length: count },
      (_, i): Property => ({ name: `${prefix}${i}`, type: 'Edm.Boolean', value: true }),
    );
  await mergeOf(flags('a', 200), flags('b', 52));
  await mergeOf(flags('a', 200), flags('b', 53), 'TooManyProperties');
  await mergeOf(flags('a', 252), flags('a', 252));
  const blobs = (prefix: string, count: number, bytes = 65_536) =>
    Array.from(
      { length: count },
      (_, i): Property => ({
        name: `${prefix}${i}`,
        type: 'Edm.Binary',
        value: Buffer.alloc(bytes),
      }),
    );
  // Each counts 16 bytes in addition to its value, the keys and the system data 8.
  const room = 1_048_576 - 8 - 15 * 65_552 - 16;
  await mergeOf(blobs('a', 8), [...blobs('b', 7), ...blobs('c', 1, room)]);
  await mergeOf(blobs('a', 8), [...blobs('b', 7), ...blobs('c', 1, room + 1)], 'EntityTooLarge');
  await mergeOf(blobs('a', 15), blobs('a', 15));
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

test('a table is found in any case, and a missing one is refused first', async () => {
  const account = await openTable();
  const of = (table: string): EntityWrite => ({ kind: 'insertEntity', table, key: KEY, properties: [] });
  await outcomeOf('inserted', account.run(of('pEOPLE')));
  assert.ok(await stored(account, KEY));
  const kinds = [
    ...(['insertEntity', 'updateEntity', 'mergeEntity'] as const),
    ...(['insertOrReplaceEntity', 'insertOrMergeEntity', 'deleteEntity'] as const),
  ];
  for (const kind of kinds)
    await refusalOf('TableNotFound', account.run({ ...write(kind, matching(1n)), table: 'Missing' }));
});

test('a point query finds an entity by both keys, and answers the same for a missing table and a missing entity', async () => {
  const account = await openTable();
  await insert(account, keyOf('', ''), text('a', 'empty'));
  await insert(account, keyOf('r', 'q'), text('a', 'other'));
  const get = (table: string, key = KEY) => account.run({ kind: 'getEntity', table, key });
  await outcomeOf('entity', get('PEOPLE', keyOf('', '')));
  for (const key of [KEY, keyOf('R', 'q'), keyOf('r ', 'q'), keyOf('r', '')])
    await refusalOf('ResourceNotFound', get(TABLE, key));
  await refusalOf('ResourceNotFound', get('Missing', keyOf('r', 'q')));
});

test('concurrent writes are all applied, one after the other', async () => {
  const account = await openTable();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, i) => account.run(write('insertEntity', ANY, [number('n', i)]))),
  );
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  const merges = Array.from({ length: 20 }, (_, i) =>
    account.run(write('insertOrMergeEntity', ANY, [number(`m${i}`, i)])),
  );
  await Promise.all(merges);
  assert.equal((await stored(account, KEY))?.properties.length, 21);
});
