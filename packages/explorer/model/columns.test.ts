// Columns: types by majority, the chosen order, sorting by value.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRow } from '#data-tools/line';
import { arranged, NO_CHOICE, propertyIn, SeenColumns, sorted } from './columns.js';

const row = (key: string, properties: string) =>
  readRow(`{"PartitionKey":"p","RowKey":"${key}"${properties}}`);

test('a column has the type of most values, and says if others were seen', () => {
  const seen = new SeenColumns();
  seen.add([row('1', ',"n":1'), row('2', ',"n":"x"'), row('3', ',"n":2,"__proto__":true')]);
  assert.deepEqual(seen.columns(), [
    { name: 'PartitionKey', type: 'String', isMixed: false },
    { name: 'RowKey', type: 'String', isMixed: false },
    { name: 'n', type: 'Int32', isMixed: true },
    { name: '__proto__', type: 'Boolean', isMixed: false },
    { name: 'Timestamp', type: 'DateTime', isMixed: false },
  ]);
});

test('keys come first, then the chosen order, then what is new', () => {
  const seen = new SeenColumns();
  seen.add([row('1', ',"a":1,"b":1,"c":1')]);
  const names = arranged(seen.columns(), { ...NO_CHOICE, order: ['Timestamp', 'c', 'gone'] }).map(
    ({ name }) => name,
  );
  assert.deepEqual(names, ['PartitionKey', 'RowKey', 'Timestamp', 'c', 'a', 'b']);
});

test('rows sort by value, and those without the property are last either way', () => {
  const rows = [
    row('1', ',"n@odata.type":"Edm.Int64","n":"10"'),
    row('2', ',"n@odata.type":"Edm.Int64","n":"9"'),
    row('3', ''),
    row('4', ',"n@odata.type":"Edm.Int64","n":"9007199254740993"'),
    row('5', ',"n@odata.type":"Edm.Int64","n":"9007199254740992"'),
  ];
  const keys = (isDescending: boolean) =>
    sorted(rows, { name: 'n', isDescending }).map(({ rowKey }) => rowKey);
  assert.deepEqual(keys(false), ['2', '1', '5', '4', '3']);
  assert.deepEqual(keys(true), ['4', '5', '1', '2', '3']);
  assert.equal(propertyIn(rows[2] ?? assert.fail(), 'n'), undefined);
});
