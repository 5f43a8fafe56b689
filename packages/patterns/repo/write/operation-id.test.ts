// Operation ids: what a row keeps of them, and its bounds.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { PatternError } from '../../index.js';
import { type OperationIdOptions, OperationIds } from './operation-id.js';

/** Operation ids by a clock that is set and chance that counts. */
function idsOf(options: OperationIdOptions = {}) {
  const clock = { now: 1_700_000_000_000 };
  let drawn = 0;
  const random = (count: number) => new Uint8Array(count).fill(++drawn);
  return { clock, operationIds: new OperationIds(options, { now: () => clock.now, random }) };
}

/** The operation ids in a row that so many writes were done to, a millisecond apart. */
function written(count: number, options: OperationIdOptions = {}) {
  const { clock, operationIds } = idsOf(options);
  let unknown: ReturnType<OperationIds['added']> = [];
  const made: string[] = [];
  for (let n = 0; n < count; n++) {
    const operationId = operationIds.next();
    made.unshift(operationId);
    unknown = operationIds.added(operationId, unknown);
    clock.now++;
  }
  return { clock, operationIds, unknown, made };
}

describe('operation ids', () => {
  test('stand in a property that nothing else needs', () => {
    for (const property of ['_moved', '_moving', '_reserved', '_source', 'RowKey', 'a-b', ''])
      assert.throws(
        () => idsOf({ property }),
        (thrown: unknown) => PatternError.is(thrown, 'DefinitionInvalid'),
      );
    assert.equal(idsOf({ property: 'lastWrite' }).operationIds.property, 'lastWrite');
  });

  test('are 16 bytes and begin with the time; a row keeps the last ones, newest first', () => {
    for (const [keep, count] of [
      [2, 3],
      [64, 1],
      [64, 65],
      [256, 257],
    ] as const) {
      const { operationIds, unknown, made } = written(count, { keep });
      assert.deepEqual(operationIds.ofUnknown(unknown), made.slice(0, keep));
      assert.equal(unknown[0]?.bytes, 8 + 2 * 3 + 4 + 16 * Math.min(count, keep));
      assert.match(made.at(-1) ?? '', /^[0-9a-f]{32}$/);
      assert.equal(Number.parseInt(made.at(-1)?.slice(0, 12) ?? '', 16), 1_700_000_000_000);
    }
    for (const keep of [1, 257, 2.5])
      assert.throws(
        () => idsOf({ keep }),
        (thrown: unknown) => PatternError.is(thrown, 'DefinitionInvalid'),
      );
  });

  test('old ones leave, but never the one before', () => {
    const { clock, operationIds, unknown, made } = written(5, { keepMilliseconds: 1_000 });
    const [newest, second] = made;
    for (const [waited, kept] of [
      // Of five that were made a millisecond apart, and one more at the end.
      [995, 6],
      [996, 6],
      [997, 5],
      [1_000_000, 2],
    ] as const) {
      clock.now = 1_700_000_000_000 + 4 + waited;
      const operationId = operationIds.next();
      const all = operationIds.ofUnknown(operationIds.added(operationId, unknown));
      assert.deepEqual([all[0], all[1], all.length], [operationId, newest, kept], `after ${waited}`);
      if (kept > 2) assert.equal(all[2], second);
    }
  });

  test('one that is there already stays once, in front', () => {
    const { operationIds, unknown, made } = written(3);
    const [newest, ...others] = made;
    assert(newest);
    assert.deepEqual(operationIds.ofUnknown(operationIds.added(newest, unknown)), [newest, ...others]);
  });

  test('other properties stay, and a property of that name that is no operation id goes', () => {
    const { operationIds } = idsOf();
    const other = { name: 'other', type: 'Int32', literal: '3', bytes: 22 } as const;
    const text = { name: '_op', type: 'String', literal: '"mine"', bytes: 22 } as const;
    const operationId = operationIds.next();
    const [kept, own, ...more] = operationIds.added(operationId, [text, other]);
    assert.deepEqual([kept, own?.name, own?.type, more], [other, '_op', 'Binary', []]);
    assert.deepEqual(operationIds.ofUnknown(own ? [own] : []), [operationId]);
  });
});
