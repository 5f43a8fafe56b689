// Definitions of series: how many slots there may be, and what is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entity, key, type Of, t } from '../../index.js';
import { decodeEntity, encodeEntity, readRow, wireText } from '../../internals.js';
import { ring, series } from '../../series.js';
import { refuses, refusesDefinition } from '../../testing/refuses.js';
import { same } from '../../testing/same-type.js';
import { slotName } from './series.js';

const define = (slots: number, others = 0) =>
  entity('Series', {
    version: 1,
    table: 'Series',
    props: {
      values: series(t.int32(), slots),
      ...Object.fromEntries(Array.from({ length: others }, (_, at) => [`n${at}`, t.int32().optional()])),
    },
    partition: key('p'),
    row: key('r'),
  });

test('slots have names that sort', () => {
  assert.equal(slotName('hits', 7, 10), 'hits7');
  assert.equal(slotName('hits', 7, 11), 'hits07');
  assert.equal(slotName('hits', 7, 101), 'hits007');
});

test('slots and other properties are 252 at most, with the tag', () => {
  define(250);
  define(251);
  refusesDefinition(() => define(252), /253 properties would be stored/);
  refusesDefinition(() => define(253), /from 2 to 252 slots, not 253: for more, a row a period/);
  define(200, 51);
  refusesDefinition(() => define(200, 52), /253 properties would be stored/);
  ring(t.int32(), { slots: 125, every: 'day' });
  ring(t.int32(), { slots: 126, every: 'day' });
  refusesDefinition(() => ring(t.int32(), { slots: 127, every: 'day' }), /254 properties/);
  refusesDefinition(() => series(t.int32(), 1), /from 2 to 252 slots/);
  refusesDefinition(
    () => ring(t.int32(), { slots: 2, every: 'week' as never }),
    /a minute, an hour or a day/,
  );
  refusesDefinition(() => series(t.string().long() as never, 2), /one plain type/);
});

test('values come back by their slots, and types that do not belong there are told', () => {
  const Series = define(12);
  same<Of<typeof Series>['values'], readonly (number | undefined)[] | undefined>(true);
  const row = readRow(wireText(encodeEntity(Series, { values: [1, undefined, 3] })));
  assert.deepEqual(row.values00, 1);
  const { value } = decodeEntity(Series, row);
  assert.deepEqual(value.values?.slice(0, 4), [1, undefined, 3, undefined]);
  refuses(
    () => decodeEntity(Series, { ...row, values05: 'x' }),
    'TypeDrift',
    /its slot 5 is stored as String/,
  );
  refuses(
    () => encodeEntity(Series, { values: Array.from({ length: 13 }, () => 1) }),
    'ValueInvalid',
    /it has 13/,
  );
  refuses(() => encodeEntity(Series, { values: ['x' as never] }), 'ValueInvalid', /Int32/);
});
