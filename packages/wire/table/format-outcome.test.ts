// The answers of outcomes: status, body and the facts of the headers, one by one (protocol: responses#headers-by-answer,
// json#metadata-levels, json#examples, entities).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultServiceProperties } from '#account';
import type { Row } from '#store';
import { encodeEntity, type Outcome } from '#tables';
import type { Answer, MetadataLevel, ResponseFormat } from './answer.js';
import { formatOutcome } from './format-outcome.js';

const HOST = 'https://ACCT.table.core.windows.net';
const BASE = { endpoint: HOST, account: 'ACCT', resource: { table: 'T' } };
const VERSION = 15_778_405_200_000_000n;
const ETAG = `W/"datetime'2020-01-01T01%3A02%3A00Z'"`;
const row = (key: string): Row => ({
  partition: 'p',
  key,
  version: VERSION,
  value: encodeEntity([{ name: 'a', type: 'Edm.Int32', value: 1 }]),
});

const asked = (level: MetadataLevel, prefer?: ResponseFormat['prefer'], select?: string): ResponseFormat => ({
  level,
  select: select?.split(','),
  selectSuffix: select === undefined ? '' : `&$select=${select}`,
  prefer,
});
const answer = (outcome: Outcome, format = asked('nometadata')) => formatOutcome(outcome, BASE, format);
const textOf = ({ body }: Answer): string | undefined => body?.toString();
const contentType = (level: string) => `application/json;odata=${level};streaming=true;charset=utf-8`;

/** The facts of the headers, without undefined ones. */
function factsOf({ body: _body, more: _more, ...facts }: Answer) {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

const JSON_FACTS = {
  isAscii: true,
  status: 200,
  cacheControl: true,
  noSniff: true,
  dataServiceVersion: '3.0;',
  contentType: contentType('nometadata'),
};
const NO_CONTENT = { status: 204, cacheControl: true, noSniff: true };
const LOCATION = `${HOST}/T(PartitionKey='p',RowKey='r')`;

test('an insert: 201 with its content, or 204 where the caller prefers none', () => {
  const inserted: Outcome = { kind: 'inserted', row: row('r') };
  const created = { ...JSON_FACTS, status: 201, etag: ETAG, location: LOCATION };
  assert.deepEqual(factsOf(answer(inserted)), created);
  const content = answer(inserted, asked('nometadata', 'return-content'));
  assert.deepEqual(factsOf(content), { ...created, preferenceApplied: 'return-content' });
  assert.equal(textOf(content), '{"PartitionKey":"p","RowKey":"r","Timestamp":"2020-01-01T01:02:00Z","a":1}');
  const none = answer(inserted, asked('nometadata', 'return-no-content'));
  assert.deepEqual(factsOf(none), {
    ...NO_CONTENT,
    etag: ETAG,
    location: LOCATION,
    preferenceApplied: 'return-no-content',
    dataServiceVersion: '3.0;',
  });
  assert.equal(none.body, undefined);
});

test('an insert returns the whole entity, with any $select', () => {
  const body = textOf(answer({ kind: 'inserted', row: row('r') }, asked('minimalmetadata', undefined, 'x')));
  assert.ok(body?.startsWith(`{"odata.metadata":"${HOST}/$metadata#T/@Element","odata.etag":`), body);
  assert.ok(body?.endsWith('"a":1}'), body);
});

test('updates and deletes have no body; only updates have an etag', () => {
  const updated = answer({ kind: 'updated', version: VERSION }, asked('nometadata', 'return-no-content'));
  assert.deepEqual(factsOf(updated), { ...NO_CONTENT, etag: ETAG, dataServiceVersion: '1.0;' });
  assert.deepEqual(factsOf(answer({ kind: 'deleted' })), { ...NO_CONTENT, dataServiceVersion: '1.0;' });
  assert.deepEqual(factsOf(answer({ kind: 'tableDeleted' })), NO_CONTENT);
});

test('a point query has an etag at every level', () => {
  const outcome: Outcome = { kind: 'entity', row: row('r') };
  for (const level of ['nometadata', 'minimalmetadata', 'fullmetadata'] as const) {
    const facts = factsOf(answer(outcome, asked(level)));
    assert.deepEqual(facts, { ...JSON_FACTS, contentType: contentType(level), etag: ETAG });
  }
  const selected = textOf(answer(outcome, asked('minimalmetadata', undefined, 'a,b')));
  assert.ok(selected?.startsWith(`{"odata.metadata":"${HOST}/$metadata#T/@Element&$select=a,b",`), selected);
  assert.ok(selected?.endsWith(',"a":1,"b":null}'), selected);
});

test('a query of entities: list, metadata and tokens', () => {
  const entities = (rows: readonly Row[], next?: { partitionKey: string; rowKey: string }): Outcome => ({
    kind: 'entities',
    rows,
    next,
    examined: 0,
  });
  assert.equal(textOf(answer(entities([]))), '{"value":[]}');
  const empty = `{"odata.metadata":"${HOST}/$metadata#T","value":[]}`;
  for (const level of ['minimalmetadata', 'fullmetadata'] as const)
    assert.equal(textOf(answer(entities([]), asked(level))), empty);
  const two = answer(
    entities([row('r'), row('s')], { partitionKey: 'Smith', rowKey: '' }),
    asked('nometadata', undefined, 'RowKey'),
  );
  assert.equal(textOf(two), '{"value":[{"RowKey":"r"},{"RowKey":"s"}]}');
  assert.deepEqual(two.more, [['x-ms-continuation-NextPartitionKey', '1!8!U21pdGg-']]);
  assert.deepEqual(factsOf(two), JSON_FACTS);
  const selected = answer(entities([row('r')]), asked('minimalmetadata', undefined, 'a'));
  const expected = `{"odata.metadata":"${HOST}/$metadata#T&$select=a","value":[{"odata.etag":${JSON.stringify(ETAG)},"a":1}]}`;
  assert.equal(textOf(selected), expected);
  assert.deepEqual(selected.more, []);
});

test('a query of tables', () => {
  const outcome: Outcome = { kind: 'tables', names: ['a', 'B'], next: 'smith' };
  const metadata = `"odata.metadata":"${HOST}/$metadata#Tables"`;
  assert.equal(textOf(answer(outcome)), '{"value":[{"TableName":"a"},{"TableName":"B"}]}');
  assert.equal(
    textOf(answer(outcome, asked('minimalmetadata'))),
    `{${metadata},"value":[{"TableName":"a"},{"TableName":"B"}]}`,
  );
  const full = (name: string) =>
    `{"odata.type":"ACCT.Tables","odata.id":"${HOST}/Tables('${name}')","odata.editLink":"Tables('${name}')","TableName":"${name}"}`;
  assert.equal(
    textOf(answer(outcome, asked('fullmetadata'))),
    `{${metadata},"value":[${full('a')},${full('B')}]}`,
  );
  assert.deepEqual(answer(outcome).more, [['x-ms-continuation-NextTableName', '1!8!c21pdGg-']]);
  assert.deepEqual(factsOf(answer(outcome)), JSON_FACTS);
  assert.equal(textOf(answer({ kind: 'tables', names: [], next: undefined })), '{"value":[]}');
});

test('one table', () => {
  const metadata = `"odata.metadata":"${HOST}/$metadata#Tables/@Element"`;
  const table: Outcome = { kind: 'table', name: 'a' };
  assert.equal(textOf(answer(table)), '{"TableName":"a"}');
  assert.equal(textOf(answer(table, asked('minimalmetadata'))), `{${metadata},"TableName":"a"}`);
  assert.deepEqual(factsOf(answer(table)), JSON_FACTS);
  const created: Outcome = { kind: 'tableCreated', name: 'a' };
  const location = `${HOST}/Tables('a')`;
  assert.deepEqual(factsOf(answer(created)), { ...JSON_FACTS, status: 201, location });
  assert.equal(textOf(answer(created, asked('minimalmetadata'))), `{${metadata},"TableName":"a"}`);
  assert.deepEqual(factsOf(answer(created, asked('nometadata', 'return-no-content'))), {
    ...NO_CONTENT,
    location,
    preferenceApplied: 'return-no-content',
    dataServiceVersion: '3.0;',
  });
});

test('documents in XML have neither Cache-Control nor X-Content-Type-Options', () => {
  const bare = { cacheControl: false, noSniff: false };
  const xml = { ...bare, status: 200, contentType: 'application/xml' };
  const documents: readonly Outcome[] = [
    { kind: 'acl', identifiers: [] },
    { kind: 'serviceProperties', properties: defaultServiceProperties },
    { kind: 'serviceStats', lastSync: VERSION },
  ];
  for (const outcome of documents) {
    assert.deepEqual(factsOf(answer(outcome)), xml);
    assert.ok(
      textOf(answer(outcome))?.startsWith('\ufeff<?xml version="1.0" encoding="utf-8"?><'),
      outcome.kind,
    );
  }
  assert.deepEqual(answer({ kind: 'aclSet' }), { ...bare, status: 204 });
  assert.deepEqual(answer({ kind: 'servicePropertiesSet' }), { ...bare, status: 202 });
});

test('a transaction has no answer of its own', () => {
  assert.throws(() => answer({ kind: 'transaction', outcomes: [] }), /formatted part by part/);
});
