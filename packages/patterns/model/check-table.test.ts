// What entities of one table must have apart. mixed.test.ts has their rows.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codec, entity, type Key, key, part, t } from '../index.js';
import { checkTable } from '../mixed.js';

describe('entities of one table', () => {
  const props = { a: t.string(), n: t.int32(), id: t.guid() };
  const of = (
    name: string,
    partition: Key<readonly ('x' | ReturnType<typeof part<'a'>>)[]>,
    rowKey: unknown,
    table = 'Tab',
  ) => entity(name, { version: 1, table, props, partition, row: rowKey as typeof partition });
  const everyone = key(part('a'));
  const pairs: readonly (readonly [unknown, unknown, boolean])[] = [
    [key('rev', part('a')), key('emp', part('a')), true],
    [key('rev', part('a')), key('rev', part('n')), false],
    [key('rev', part('a')), key('review', part('a')), true],
    [key('rev', part('a')), key('rev'), true],
    [key('rev'), key('rev'), false],
    [key(part('a')), key('rev'), false],
    [key(part('a')), key(part('n')), false],
    // As in the design guide: employees by number, their reviews behind a word.
    [key(part('n', codec.int(6))), key('rev', part('n')), true],
    [key(part('n', codec.int(6))), key('7up'), false],
    // A query of the first one's rows reads all that begins with its literal.
    [key('rev', part('n')), key('rev', 'all'), false],
    [key('rev', 'all', part('n')), key('rev', part('n')), false],
    [key(part('id')), key('xrev', part('n')), true],
    [key(part('id')), key('dept', part('n')), false],
    [key('a', part('a')).joinedBy('_'), key('a_b'), false],
    [key('a', part('a')).joinedBy('_'), key('b_b'), true],
  ];
  for (const [a, b, isFine] of pairs)
    test(`${isFine ? 'may' : 'may not'} have the keys ${JSON.stringify([a, b].map(each => (each as Key).parts.map(p => (typeof p === 'string' ? p : `{${p.name}}`)).join((each as Key).separator)))}`, () => {
      const check = () => checkTable([of('A', everyone, a), of('B', everyone, b)]);
      if (isFine) check();
      else assert.throws(check, /both may have the same keys/);
      checkTable([of('A', everyone, a, 'One'), of('B', everyone, b, 'Two')]);
      checkTable([of('A', key('x', part('a')) as never, a), of('B', key('y', part('a')) as never, b)]);
    });

  test('have names and one property for their tags', () => {
    assert.throws(() => checkTable([of('A', everyone, key('a')), of('A', everyone, key('b'))]), /one name/);
    const untagged = entity('B', {
      version: 1,
      table: 'Tab',
      props,
      partition: everyone,
      row: key('b'),
      tag: false,
    });
    assert.throws(() => checkTable([of('A', everyone, key('a')), untagged]), /by the same property/);
  });
});
