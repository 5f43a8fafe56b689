// Bodies and headers to the byte at every metadata level, with a clock that the test sets (protocol: responses#headers-by-answer, json,
// entities#etags).
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { inAccount, type RawRequest, type RawResponse, rawRequest } from '../support/raw-client.js';
import { describeTargets } from '../support/targets.js';

const ticksOf = (text: string, ticks = 0): bigint => BigInt(Date.parse(text)) * 10_000n + BigInt(ticks);

const BEGINNING = ticksOf('2012-01-01T00:00:00Z');
let now = BEGINNING;
const clock = (): bigint => now;

const TABLE = 'people';
const ENTITY_PATH = "/people(PartitionKey='p''1',RowKey='a%20%C3%B4')";
const etagOf = (timestamp: string): string => `W/"datetime'${timestamp.replaceAll(':', '%3A')}'"`;

const INSERTED = `{"PartitionKey":"p'1","RowKey":"a \\u00F4","age":"39","age@odata.type":"Edm.Int64","sex":"m\\u00e4le","married":true,"ratio@odata.type":"Edm.Double","ratio":3,"born":"1973-10-04T00:00:00.0000000Z","born@odata.type":"Edm.DateTime","bytes@odata.type":"Edm.Binary","bytes":"AQIDBAU=","other":20,"id":"C9DA6455-213D-42C9-9A79-3E9149A57833","id@odata.type":"Edm.Guid","nan":"NaN","nan@odata.type":"Edm.Double","inf":"-Infinity","inf@odata.type":"Edm.Double","big":1.23456789012346E+24,"nothing":null,"sign":"a'b<c>&/\\"","__proto__":5}`;

/** The entity's own members; annotations are there from minimal metadata on. */
const annotated = (withTypes: boolean): string => {
  const type = (name: string, edm: string): string => (withTypes ? `"${name}@odata.type":"Edm.${edm}",` : '');
  return `${type('age', 'Int64')}"age":"39","sex":"m\\u00e4le","married":true,"ratio":3.0,${type('born', 'DateTime')}"born":"1973-10-04T00:00:00Z",${type('bytes', 'Binary')}"bytes":"AQIDBAU=","other":20,${type('id', 'Guid')}"id":"c9da6455-213d-42c9-9a79-3e9149a57833",${type('nan', 'Double')}"nan":"NaN",${type('inf', 'Double')}"inf":"-Infinity","big":1.23456789012346E+24,"sign":"a'b<c>&/\\"","__proto__":5`;
};

const KEYS = `"PartitionKey":"p'1","RowKey":"a \\u00f4",`;
const quoted = (timestamp: string): string => etagOf(timestamp).replaceAll('"', '\\"');

const LEVELS = ['nometadata', 'minimalmetadata', 'fullmetadata'] as const;
type Level = (typeof LEVELS)[number];

describeTargets(
  'metadata levels',
  subject => {
    const send = (request: RawRequest): Promise<RawResponse> =>
      rawRequest(subject.server, {
        date: new Date(Number(now / 10_000n)),
        ...request,
        target: inAccount(subject.server, request.target),
      });
    const accept = (level: string): { Accept: string } => ({ Accept: `application/json;odata=${level}` });
    const contentType = (level: string): string =>
      `application/json;odata=${level};streaming=true;charset=utf-8`;
    const endpoint = (): string => subject.server.tableEndpoint;

    /** One entity as each level writes it; `first` precedes everything in a body of its own. */
    const entityAt: Record<Level, (timestamp: string, first: string) => string> = {
      nometadata: timestamp => `{${KEYS}"Timestamp":"${timestamp}",${annotated(false)}}`,
      minimalmetadata: (timestamp, first) =>
        `{${first}"odata.etag":"${quoted(timestamp)}",${KEYS}"Timestamp":"${timestamp}",${annotated(true)}}`,
      fullmetadata: (timestamp, first) =>
        `{${first}"odata.type":"devstoreaccount1.people","odata.id":"${endpoint()}${ENTITY_PATH}","odata.etag":"${quoted(timestamp)}","odata.editLink":"${ENTITY_PATH.slice(1)}",${KEYS}"Timestamp@odata.type":"Edm.DateTime","Timestamp":"${timestamp}",${annotated(true)}}`,
    };
    const metadata = (of: string): string => `"odata.metadata":"${endpoint()}/$metadata#${of}",`;

    const insert = (headers: Record<string, string>): Promise<RawResponse> =>
      send({
        method: 'POST',
        target: `/${TABLE}`,
        headers: { 'Content-Type': 'application/json', ...headers },
        body: INSERTED,
      });

    before(async () => {
      now = BEGINNING;
      await send({ method: 'POST', target: '/Tables', body: `{"TableName":"${TABLE}"}` });
      // The embedded engine begins its log after some commits, which takes a tick: avoids one that a test expects.
      const { data } = subject.server;
      const target = `/${TABLE}(PartitionKey='before',RowKey='')`;
      while (data !== undefined && !existsSync(join(data, 'data.log')))
        await send({ method: 'PUT', target, body: '{}' });
      await send({ method: 'DELETE', target, headers: { 'If-Match': '*' } });
    });

    test('timestamps keep their ticks and lose their last zeros', async () => {
      for (const [tick, text] of [
        [ticksOf('2012-11-10T03:04:05.200Z'), '2012-11-10T03:04:05.2Z'],
        [ticksOf('2017-11-10T02:43:53.111Z', 8290), '2017-11-10T02:43:53.111829Z'],
        [ticksOf('2017-11-10T02:44:47.622Z', 1962), '2017-11-10T02:44:47.6221962Z'],
        [ticksOf('2019-12-31T23:59:59.000Z'), '2019-12-31T23:59:59Z'],
      ] as const) {
        now = tick;
        const target = `/${TABLE}(PartitionKey='time',RowKey='r')`;
        const { headers } = await send({ method: 'PUT', target, body: '{}' });
        assert.equal(headers.etag, etagOf(text));
        const { body } = await send({ method: 'GET', target, headers: accept('nometadata') });
        assert.equal(body, `{"PartitionKey":"time","RowKey":"r","Timestamp":"${text}"}`);
      }
    });

    for (const level of LEVELS) {
      test(`an insert answers its content at ${level}`, async () => {
        // Versions rise over the whole store, so that only a later minute is answered as it is.
        const timestamp = `2020-01-01T01:0${LEVELS.indexOf(level)}:00Z`;
        now = ticksOf(timestamp);
        const answer = await insert(accept(level));
        assert.equal(answer.status, 201);
        assert.equal(answer.body, entityAt[level](timestamp, metadata(`${TABLE}/@Element`)));
        const { headers } = answer;
        assert.equal(headers['content-type'], contentType(level));
        assert.equal(headers.etag, etagOf(timestamp));
        assert.equal(headers.location, `${endpoint()}${ENTITY_PATH}`);
        assert.equal(headers.dataserviceid, undefined);
        assert.equal(headers['preference-applied'], undefined);

        const got = await send({ method: 'GET', target: ENTITY_PATH, headers: accept(level) });
        assert.equal(got.status, 200);
        assert.equal(got.body, answer.body);
        assert.equal(got.headers.etag, etagOf(timestamp));

        const target = `/${TABLE}()?$filter=PartitionKey%20eq%20'p''1'`;
        const list = await send({ method: 'GET', target, headers: accept(level) });
        const first = level === 'nometadata' ? '' : metadata(TABLE);
        assert.equal(list.body, `{${first}"value":[${entityAt[level](timestamp, '')}]}`);
        assert.equal(list.headers.etag, undefined);

        const deleted = await send({ method: 'DELETE', target: ENTITY_PATH, headers: { 'If-Match': '*' } });
        assert.equal(deleted.status, 204);
      });
    }

    test('the format in the address takes precedence over the one in the header', async () => {
      const { body, headers } = await send({
        method: 'GET',
        target: `/Tables?$format=application%2Fjson%3Bodata%3Dnometadata`,
        headers: accept('fullmetadata'),
      });
      assert.equal(body, '{"value":[{"TableName":"people"}]}');
      assert.equal(headers['content-type'], contentType('nometadata'));
    });

    test('tables at each level', async () => {
      const tables = async (target: string, level: string): Promise<string> =>
        (await send({ method: 'GET', target, headers: accept(level) })).body;
      assert.equal(
        await tables('/Tables', 'minimalmetadata'),
        `{${metadata('Tables')}"value":[{"TableName":"people"}]}`,
      );
      assert.equal(await tables("/Tables('people')", 'nometadata'), '{"TableName":"people"}');
      assert.equal(
        await tables("/Tables('people')", 'fullmetadata'),
        `{${metadata('Tables/@Element')}"odata.type":"devstoreaccount1.Tables","odata.id":"${endpoint()}/Tables('people')","odata.editLink":"Tables('people')","TableName":"people"}`,
      );
    });

    test('an insert without content answers where it is', async () => {
      const { status, headers, body, headerNames } = await insert({ Prefer: 'return-no-content' });
      assert.deepEqual([status, body, headers['content-length']], [204, '', '0']);
      assert.equal(headers.location, `${endpoint()}${ENTITY_PATH}`);
      assert.equal(headers.dataserviceid, headers.location);
      assert.equal(headers['preference-applied'], 'return-no-content');
      assert.equal(headers['content-type'], undefined);
      assert.deepEqual(
        headerNames.filter(name => !['Date', 'Connection', 'Keep-Alive'].includes(name)),
        [
          'Cache-Control',
          'Content-Length',
          'ETag',
          'Location',
          'Server',
          'x-ms-request-id',
          'x-ms-version',
          'X-Content-Type-Options',
          'Preference-Applied',
          'DataServiceId',
        ],
      );
      const again = await insert({ Prefer: 'return-no-content', ...accept('nometadata') });
      assert.equal(again.status, 409);
      assert.equal(again.headers['preference-applied'], 'return-no-content');
      assert.equal(again.headers['x-ms-error-code'], undefined);
      assert.match(
        again.body,
        /^\{"odata\.error":\{"code":"EntityAlreadyExists","message":\{"lang":"en-US","value":"The specified entity already exists\.\\nRequestId:[0-9a-f-]{36}\\nTime:20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z"\}\}\}$/,
      );
      assert(again.body.includes(`RequestId:${again.headers['x-ms-request-id']}\\n`));
    });

    test('a projection names what it projects', async () => {
      const target = `${ENTITY_PATH}?$select=age,missing,Timestamp`;
      const { body } = await send({ method: 'GET', target, headers: accept('minimalmetadata') });
      const [, etag = '', timestamp = ''] = /"odata\.etag":"(.*?'\\")","Timestamp":"(.*?)"/.exec(body) ?? [];
      assert.equal(
        body,
        `{"odata.metadata":"${endpoint()}/$metadata#people/@Element&$select=age,missing,Timestamp","odata.etag":"${etag}","Timestamp":"${timestamp}","age@odata.type":"Edm.Int64","age":"39","missing":null}`,
      );
      const empty = await send({
        method: 'GET',
        target: `${ENTITY_PATH}?$select=`,
        headers: accept('minimalmetadata'),
      });
      assert(empty.body.startsWith(`{"odata.metadata":"${endpoint()}/$metadata#people/@Element&$select=",`));
      assert(empty.body.includes(annotated(true)));
    });

    test('updates put properties in ordinal order', async () => {
      const target = `/${TABLE}(PartitionKey='order',RowKey='r')`;
      const body = '{"z":1,"a":2,"Z":3,"_":4,"ä":5}';
      assert.equal((await send({ method: 'PUT', target, body })).status, 204);
      const got = await send({
        method: 'GET',
        target: `${target}?$select=z,a,Z,_,ä`.replace('ä', '%C3%A4'),
        headers: accept('nometadata'),
      });
      assert.equal(got.body, '{"Z":3,"_":4,"a":2,"z":1,"\\u00e4":5}');
    });
  },
  { clock },
);
