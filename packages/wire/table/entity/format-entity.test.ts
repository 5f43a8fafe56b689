// Entities as JSON, byte for byte against recorded examples, with projections and keys that need encoding
// (protocol: json#examples, queries#projection, entities#keys-in-urls).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openOutput, parseDateTime } from '#base';
import type { Row } from '#store';
import { encodeEntity, type Property } from '#tables';
import type { MetadataLevel, ResponseFormat } from '../answer.js';
import { type BaseUrl, EntityWriter } from './format-entity.js';

const HOST = 'https://ACCT.table.core.windows.net';
const BASE: BaseUrl = { endpoint: HOST, account: 'ACCT', resource: { table: 'T' } };
const ticks = (text: string): bigint => parseDateTime(text) ?? assert.fail(text);

const row = (properties: readonly Property[], partition = 'pk', key = 'rk'): Row => ({
  partition,
  key,
  version: ticks('2017-11-10T02:44:47.6221962Z'),
  value: encodeEntity(properties),
});

const EXAMPLE = row([
  { name: 'age', type: 'Edm.Int64', value: 39n },
  { name: 'sex', type: 'Edm.String', value: 'male' },
  { name: 'married', type: 'Edm.Boolean', value: true },
  { name: 'evenratio', type: 'Edm.Double', value: 3 },
  { name: 'ratio', type: 'Edm.Double', value: 3.1 },
  { name: 'Birthday', type: 'Edm.DateTime', value: ticks('1973-10-04T00:00:00Z') },
  { name: 'binary', type: 'Edm.Binary', value: Buffer.from('binary') },
  { name: 'other', type: 'Edm.Int32', value: 20 },
  { name: 'clsid', type: 'Edm.Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' },
]);

function format(of: Row, level: MetadataLevel, select?: readonly string[], first?: string): string {
  const asked: ResponseFormat = { level, select, selectSuffix: '', prefer: undefined };
  const output = openOutput(0);
  // As a scan shows it, whose value stands among other bytes.
  const bytes = Buffer.concat([Buffer.alloc(5, 0xee), of.value, Buffer.alloc(5, 0xee)]);
  const place = { bytes, from: 5, until: 5 + of.value.length, keyFrom: -1, keyUntil: -1 };
  new EntityWriter(BASE, asked, first).write(output, { ...of, ...place }, '');
  output.text('}');
  return output.end().toString('latin1');
}

const ETAG = `"odata.etag":"W/\\"datetime'2017-11-10T02%3A44%3A47.6221962Z'\\""`;
const FULL = `"odata.type":"ACCT.T","odata.id":"${HOST}/T(PartitionKey='pk',RowKey='rk')",${ETAG},"odata.editLink":"T(PartitionKey='pk',RowKey='rk')"`;

test('a projection of metadata gives none; format-entity-model.test.ts has all others', () => {
  const cases: readonly (readonly [MetadataLevel, string, string])[] = [
    ['nometadata', 'odata.etag', '{}'],
    ['nometadata', 'odata.etag,sex,sex@odata.type', '{"sex":"male"}'],
    ['minimalmetadata', 'odata.etag', `{${ETAG}}`],
    ['minimalmetadata', 'odata.etag,sex,odata.etag', `{${ETAG},"sex":"male"}`],
    ['minimalmetadata', 'age,age@odata.type', `{${ETAG},"age@odata.type":"Edm.Int64","age":"39"}`],
    ['fullmetadata', 'odata.type,odata.id,odata.editLink,Timestamp@odata.type', `{${FULL}}`],
  ];
  for (const [level, select, expected] of cases)
    assert.equal(format(EXAMPLE, level, select.split(',')), expected);
});

const MINIMAL: ResponseFormat = {
  level: 'minimalmetadata',
  select: undefined,
  selectSuffix: '',
  prefer: undefined,
};

test('a stored entity that is cut off is damage where its properties are told apart', () => {
  const bytes = Buffer.concat([EXAMPLE.value, EXAMPLE.value]);
  for (let until = 0; until < EXAMPLE.value.length; until += 1) {
    const writer = new EntityWriter(BASE, MINIMAL);
    const row = { ...EXAMPLE, bytes, from: 0, until, keyFrom: -1, keyUntil: -1 };
    assert.throws(() => writer.write(openOutput(0), row, ''), { code: 'corrupt' });
  }
});
