// Addresses and verbs that client libraries cannot send: host style, secondary, odd spellings, tunnelled verbs
// (protocol: requests#addresses, tables#paths, requests#tunnelled-verbs, authentication#canonical-resource-of-tables).
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  inAccount,
  type RawRequest,
  type RawResponse,
  rawRequest,
  signedHeaders,
} from '../support/raw-client.js';
import { describeTargets } from '../support/targets.js';

const JSON_BODY = { 'Content-Type': 'application/json', Accept: 'application/json;odata=nometadata' };

describeTargets('addresses', subject => {
  let table = '';
  const send = (request: RawRequest): Promise<RawResponse> => rawRequest(subject.server, request);
  const get = (target: string, more: Partial<RawRequest> = {}): Promise<RawResponse> =>
    send({ method: 'GET', target, headers: { Accept: 'application/json;odata=nometadata' }, ...more });
  const entity = (rowKey: string): string => `(PartitionKey='p',RowKey='${rowKey}')`;
  const put = async (rowKey: string): Promise<void> => {
    const target = inAccount(subject.server, `/${table}${entity(rowKey)}`);
    assert.equal((await send({ method: 'PUT', target, headers: JSON_BODY, body: '{"n":1}' })).status, 204);
  };

  before(async () => {
    table = subject.newTableName();
    const target = inAccount(subject.server, '/Tables');
    const body = JSON.stringify({ TableName: table });
    assert.equal((await send({ method: 'POST', target, headers: JSON_BODY, body })).status, 201);
    await put('r');
  });

  test('the account may be in the host, and then in every address of the answer', async () => {
    const Host = `devstoreaccount1.table.localhost:${subject.server.tablePort}`;
    const inserted = await send({
      method: 'POST',
      target: `/${table}`,
      headers: { 'Content-Type': 'application/json', Host },
      body: '{"PartitionKey":"p","RowKey":"host"}',
    });
    assert.equal(inserted.status, 201);
    assert.equal(inserted.headers.location, `http://${Host}/${table}${entity('host')}`);
    assert(inserted.body.startsWith(`{"odata.metadata":"http://${Host}/$metadata#${table}/@Element",`));
    const got = await get(`/${table}${entity('host')}`, { headers: { Host } });
    assert.equal(got.status, 200);
    const inPath = await get(inAccount(subject.server, `/${table}${entity('host')}`));
    assert.equal(inPath.status, 200);
  });

  test('if the host is no account, the path has the account', async () => {
    for (const host of ['localhost', 'tables.example.com', '[::1]', '10.0.0.1']) {
      const Host = `${host}:${subject.server.tablePort}`;
      const target = inAccount(subject.server, `/${table}${entity('r')}`);
      const { status, body } = await get(target, { headers: { Host } });
      assert.equal(status, 200, host);
      assert(body.includes(`http://${Host}/devstoreaccount1/$metadata`));
    }
  });

  test('the secondary reads what was written, and accepts no writes', async () => {
    const { server } = subject;
    const path = `/devstoreaccount1-secondary/${table}${entity('r')}`;
    assert.equal((await get(path)).status, 200);
    const Host = `devstoreaccount1-secondary.table.localhost:${server.tablePort}`;
    const ofHost = await get(`/${table}${entity('r')}`, { headers: { Host } });
    assert.equal(ofHost.status, 200);
    assert.equal((await send({ method: 'PUT', target: path, headers: JSON_BODY, body: '{}' })).status, 403);
    const stats = await get('/devstoreaccount1-secondary/?restype=service&comp=stats');
    assert.equal(stats.status, 200);
    assert.match(
      stats.body,
      /^\ufeff<\?xml version="1\.0" encoding="utf-8"\?><StorageServiceStats><GeoReplication><Status>live<\/Status><LastSyncTime>[^<]+ GMT<\/LastSyncTime><\/GeoReplication><\/StorageServiceStats>$/,
    );
    const primary = await get(inAccount(server, '/?restype=service&comp=stats'));
    assert.deepEqual(
      [primary.status, primary.headers['x-ms-error-code']],
      [400, 'InvalidQueryParameterValue'],
    );
  });

  test('one entity has many spellings', async () => {
    const spellings = [
      `/${table}(PartitionKey='p',RowKey='r')`,
      `/${table}(PartitionKey=%27p%27,RowKey=%27r%27)`,
      `/${table}(RowKey='r',PartitionKey='p')`,
      `/${table}(PartitionKey='p',%20RowKey='r')`,
      `/${table}%28PartitionKey%3D'p'%2CRowKey%3D'r'%29`,
      `/${table.toUpperCase()}(PartitionKey='%70',RowKey='r')`,
      `/${table}(PartitionKey='p',RowKey='r')?timeout=30&unknown=1`,
    ];
    for (const path of spellings)
      assert.equal((await get(inAccount(subject.server, path))).status, 200, path);
    for (const path of [`/${table}`, `/${table}()`, `/${table}/`, '/Tables', '/Tables()'])
      assert.equal((await get(inAccount(subject.server, path))).status, 200, path);
  });

  test('a target may be absolute', async () => {
    const { server } = subject;
    const path = inAccount(server, `/${table}${entity('r')}`);
    // Only the path is signed, so the headers are those of a request for it.
    const headers = signedHeaders(server, { method: 'GET', target: path });
    const absolute = `http://127.0.0.1:${server.tablePort}${path}`;
    const answer = await send({ method: 'GET', target: absolute, sign: 'none', headers });
    assert.equal(answer.status, 200);
  });

  test('a quote in the address may be signed encoded or not, a percent sign is decoded once', async () => {
    const keys = `(PartitionKey='it''s',RowKey='100%25%2541')`;
    const target = inAccount(subject.server, `/${table}${keys}`);
    assert.equal((await send({ method: 'PUT', target, headers: JSON_BODY, body: '{}' })).status, 204);
    const encoded = target.replaceAll("'", '%27');
    const { status, body } = await get(encoded);
    assert.equal(status, 200);
    assert(body.includes('"PartitionKey":"it\'s","RowKey":"100%%41"'));
  });

  test('X-HTTP-Method replaces POST, which is what is signed', async () => {
    const target = inAccount(subject.server, `/${table}${entity('tunnelled')}`);
    const tunnel = (
      verb: string,
      more: Record<string, string> = {},
      body = '{"b":2}',
    ): Promise<RawResponse> =>
      send({
        method: 'POST',
        target,
        sign: 'SharedKey',
        headers: { ...JSON_BODY, 'X-HTTP-Method': verb, ...more },
        body,
      });
    assert.equal((await tunnel('PUT', {}, '{"a":1}')).status, 204);
    assert.equal((await tunnel('MERGE')).status, 204);
    assert.match((await get(target)).body, /"a":1,"b":2\}$/);
    assert.equal((await tunnel('PATCH', { 'If-Match': '*' })).status, 204);
    assert.equal((await tunnel('DELETE', { 'If-Match': '*' }, '')).status, 204);
    assert.equal((await get(target)).status, 404);
    for (const [answer, code] of [
      [await tunnel('BREW'), 'XMethodIncorrectValue'],
      [await tunnel('MERGE, PUT'), 'XMethodIncorrectCount'],
      [
        await send({
          method: 'PUT',
          target,
          headers: { ...JSON_BODY, 'X-HTTP-Method': 'MERGE' },
          body: '{}',
        }),
        'XMethodNotUsingPost',
      ],
    ] as const) {
      assert.equal(answer.status, 400);
      assert(answer.body.includes(`"code":"${code}"`), code);
    }
  });

  test('addresses that lead nowhere', async () => {
    const { server } = subject;
    const status = async (method: string, path: string): Promise<number> =>
      (await send({ method, target: path, headers: { 'If-Match': '*' } })).status;
    assert.equal(await status('GET', inAccount(server, '/')), 400);
    assert.equal(await status('GET', '/'), 400);
    assert.equal(await status('GET', inAccount(server, `/${table}/Tables`)), 501);
    assert.equal(await status('DELETE', inAccount(server, `/${table}/Tables('x')`)), 400);
    assert.equal(await status('POST', inAccount(server, `/${table}/$batch`)), 415);
    assert.equal(await status('GET', inAccount(server, `/${table}(PartitionKey='p')`)), 400);
    assert.equal(await status('GET', inAccount(server, `/${table}(PartitionKey='a%2Fb',RowKey='r')`)), 400);
    assert.equal(await status('GET', inAccount(server, `/${table}?$filter=%E0%A4%A`)), 400);
    assert.equal(await status('TRACE', inAccount(server, `/${table}`)), 405);
    assert.equal(await status('DELETE', inAccount(server, '/Tables')), 405);
  });
});
