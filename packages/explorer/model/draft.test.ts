// Editing loses nothing: every type's extreme values come back byte for byte, a text that is no value stays, and a merge
// names exactly what changed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EDM_TYPES, formatContent, readRow, textOf } from '#data-tools/line';
import {
  changesOf,
  differences,
  draftOf,
  type Field,
  fieldOf,
  NEW_DRAFT,
  propertyOf,
  read,
  rebased,
} from './draft.js';

const LINE =
  '{"PartitionKey":"p","RowKey":"r","Timestamp":"2026-01-01T00:00:00.1234567Z"' +
  ',"b@odata.type":"Edm.Binary","b":"AAEC/w==","d@odata.type":"Edm.Double","d":"NaN","e@odata.type":"Edm.Double","e":-0.0' +
  ',"g@odata.type":"Edm.Guid","g":"01234567-89ab-cdef-0123-456789abcdef","i":-2147483648' +
  ',"l@odata.type":"Edm.Int64","l":"9223372036854775807","s":"","t@odata.type":"Edm.DateTime","t":"0001-01-01T00:00:00.0000001Z","u":"\\ud800","y":true}';

test('a draft that nobody changes is the entity, to the byte', () => {
  const row = readRow(LINE);
  const { row: again, faults } = read(draftOf(row, 'W/"1"'));
  assert.deepEqual(faults, []);
  assert.equal(formatContent(again), formatContent(row));
  assert.deepEqual(differences(row, again), []);
  assert.equal(formatContent(changesOf(row, again)), '{"PartitionKey":"p","RowKey":"r"}');
});

test('random texts of every type are a value that reads back as typed, or a sentence', () => {
  const property = fc.property(fc.constantFrom(...EDM_TYPES), fc.string(), (type, text) => {
    const made = propertyOf({ name: 'n', type, text });
    if (typeof made === 'string') return assert.match(made, /\.$/);
    assert.deepEqual(propertyOf({ name: 'n', type, text: textOf(made) }), made);
  });
  fc.assert(property);
});

const change = (fields: readonly Field[], name: string, text: string): readonly Field[] =>
  fields.map(field => (field.name === name ? { ...field, text } : field));

test('a merge names what changed, a replace everything', () => {
  const row = readRow(LINE);
  const draft = draftOf(row, undefined);
  const changed = read({ ...draft, fields: change(draft.fields, 'l', '-1') }).row;
  assert.equal(
    formatContent(changesOf(row, changed)),
    '{"PartitionKey":"p","RowKey":"r","l@odata.type":"Edm.Int64","l":"-1"}',
  );
  const removed = read({ ...draft, fields: draft.fields.filter(({ name }) => name !== 's') }).row;
  assert.deepEqual(
    differences(row, removed).map(({ name, after }) => [name, after]),
    [['s', undefined]],
  );
  assert(!formatContent(removed).includes('"s"'));
});

test('faults name their field, and nothing typed is lost', () => {
  const good = fieldOf({ name: 'n', type: 'Int32' }, ' 12 ');
  const bad = fieldOf({ name: 'm', type: 'Int64' }, '9223372036854775808');
  const twice = fieldOf({ name: 'n', type: 'String' }, 'x');
  const { row, faults } = read({ ...NEW_DRAFT, rowKey: 'a/b', fields: [good, bad, twice] });
  assert.deepEqual(
    faults.map(({ at }) => at),
    ['keys', bad.id, twice.id],
  );
  assert.deepEqual(row.properties[0], { name: 'n', type: 'Int32', literal: '12' });
});

test('a rebased draft has their changes, ours on top, and unfinished texts', () => {
  const row = readRow('{"PartitionKey":"p","RowKey":"r","a":1,"b":1,"c":1}');
  const theirs = readRow('{"PartitionKey":"p","RowKey":"r","a":2,"b":2,"d":2}');
  const draft = draftOf(row, 'old');
  const ours = {
    ...draft,
    fields: [...change(draft.fields, 'b', '3'), fieldOf({ name: 'e', type: 'Int32' }, 'x')],
  };
  const { fields, original, etag } = rebased(ours, theirs, 'new');
  assert.deepEqual(
    fields.map(({ name, text }) => `${name}=${text}`),
    ['a=2', 'b=3', 'd=2', 'e=x'],
  );
  assert.deepEqual([original, etag], [theirs, 'new']);
});
