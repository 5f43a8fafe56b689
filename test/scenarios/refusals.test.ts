// Failed authentication and malformed requests: the forms and headers of refusals (protocol: errors, authentication).
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { before, test } from 'node:test';
import {
  inAccount,
  type RawRequest,
  type RawResponse,
  rawRequest,
  signedHeaders,
} from '../support/raw-client.js';
import { describeTargets } from '../support/targets.js';

const WRONG_KEY = Buffer.from('not the key of this account').toString('base64');
const AUTHENTICATION_FAILED =
  'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.';

const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);

/** The code of an error body, whichever its form. */
const codeOf = ({ body }: RawResponse): string | undefined =>
  (/"code":"(\w+)"/.exec(body) ?? /<(?:m:)?code>(\w+)</.exec(body))?.[1];

describeTargets('refusals', subject => {
  let table = '';
  const send = (request: RawRequest): Promise<RawResponse> =>
    rawRequest(subject.server, { ...request, target: inAccount(subject.server, request.target) });
  const expectCode = async (request: RawRequest, status: number, code: string): Promise<RawResponse> => {
    const answer = await send(request);
    assert.deepEqual([answer.status, codeOf(answer)], [status, code], `${request.method} ${request.target}`);
    return answer;
  };

  before(async () => {
    table = subject.newTableName();
    await send({ method: 'POST', target: '/Tables', body: JSON.stringify({ TableName: table }) });
  });

  test('a wrong key: XML without most headers, to the byte', async () => {
    const answer = await send({ method: 'GET', target: '/Tables', key: WRONG_KEY });
    assert.equal(answer.status, 403);
    assert.equal(answer.reason, AUTHENTICATION_FAILED);
    assert.match(
      answer.body,
      new RegExp(
        `^<\\?xml version="1\\.0" encoding="utf-8"\\?><m:error xmlns:m="http://schemas\\.microsoft\\.com/ado/2007/08/dataservices/metadata"><m:code>AuthenticationFailed</m:code><m:message xml:lang="en-US">${AUTHENTICATION_FAILED}\nRequestId:${answer.headers['x-ms-request-id']}\nTime:\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{7}Z</m:message></m:error>$`,
      ),
    );
    const { headers } = answer;
    assert.equal(headers['content-type'], 'application/xml');
    assert.equal(headers['x-ms-error-code'], 'AuthenticationFailed');
    for (const absent of [
      'x-ms-version',
      'cache-control',
      'x-content-type-options',
      'x-ms-client-request-id',
    ])
      assert.equal(headers[absent], undefined, absent);
  });

  test('a wrong key of a caller that asked for JSON: JSON', async () => {
    for (const target of ['/Tables', '/$batch']) {
      const { status, headers, body } = await send({
        method: 'POST',
        target,
        key: WRONG_KEY,
        headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
        body: '{}',
      });
      assert.deepEqual([status, headers['content-type']], [403, 'application/json']);
      assert(
        body.startsWith(
          `{"odata.error":{"code":"AuthenticationFailed","message":{"lang":"en-US","value":"${AUTHENTICATION_FAILED}\\nRequestId:`,
        ),
      );
    }
  });

  test('both schemes sign what they should sign, and nothing else', async () => {
    const target = `/${table}?$filter=n%20eq%201&timeout=5`;
    for (const sign of ['SharedKey', 'SharedKeyLite'] as const) {
      assert.equal((await send({ method: 'GET', target, sign })).status, 200);
      assert.equal((await send({ method: 'GET', target: `/${table}?comp=acl`, sign })).status, 200);
      assert.equal(
        (await send({ method: 'GET', target: '/?restype=service&comp=properties', sign })).status,
        200,
      );
    }
    const { server } = subject;
    const signed = { method: 'GET', target: inAccount(server, '/Tables'), sign: 'SharedKey' } as const;
    const headers = signedHeaders(server, signed);
    const unsigned = { sign: 'none' } as const;
    const forged: readonly RawRequest[] = [
      { method: 'GET', target: inAccount(server, `/${table}`), ...unsigned, headers },
      { method: 'GET', target: inAccount(server, '/Tables?comp=acl'), ...unsigned, headers },
      { method: 'POST', target: inAccount(server, '/Tables'), ...unsigned, headers, body: '{}' },
      {
        method: 'GET',
        target: inAccount(server, '/Tables'),
        ...unsigned,
        headers: { ...headers, 'x-ms-date': new Date(0).toUTCString() },
      },
      {
        method: 'GET',
        target: inAccount(server, '/Tables'),
        ...unsigned,
        headers: { ...headers, 'Content-Type': 'text/plain' },
      },
    ];
    assert.equal((await rawRequest(server, { ...signed, ...unsigned, headers })).status, 200);
    for (const request of forged) {
      const answer = await rawRequest(server, request);
      assert.deepEqual([answer.status, codeOf(answer)], [403, 'AuthenticationFailed'], request.target);
    }
  });

  test('the date may be fifteen minutes off', async () => {
    for (const minutes of [14, -14])
      assert.equal((await send({ method: 'GET', target: '/Tables', date: minutesAgo(minutes) })).status, 200);
    for (const minutes of [16, -16])
      await expectCode(
        { method: 'GET', target: '/Tables', date: minutesAgo(minutes) },
        403,
        'AuthenticationFailed',
      );
  });

  test('other accounts, no credentials, credentials that cannot be read', async () => {
    const get = { method: 'GET', target: '/Tables' } as const;
    await expectCode({ ...get, account: 'otheraccount' }, 403, 'AuthenticationFailed');
    const unknown = await rawRequest(subject.server, {
      ...get,
      target: '/otheraccount/Tables',
      account: 'otheraccount',
    });
    assert.deepEqual([unknown.status, codeOf(unknown)], [403, 'AuthenticationFailed']);
    await expectCode({ ...get, sign: 'none' }, 403, 'AuthenticationFailed');
    const challenge = await expectCode(
      { ...get, sign: 'none', headers: { 'x-ms-version': '2020-12-06' } },
      401,
      'InvalidAuthenticationInfo',
    );
    assert.match(
      challenge.headers['www-authenticate'] ?? '',
      /^Bearer authorization_uri=https:\/\/login\.microsoftonline\.com\/[0-9a-f-]{36}\/oauth2\/authorize resource_id=https:\/\/storage\.azure\.com$/,
    );
    for (const Authorization of ['SharedKey', 'SharedKey devstoreaccount1', 'Basic YTpi'])
      await expectCode(
        { ...get, sign: 'none', headers: { Authorization } },
        400,
        'InvalidAuthenticationInfo',
      );
    const headers = { Authorization: 'SharedKeyLite a:b:c' };
    await expectCode({ ...get, sign: 'none', headers }, 403, 'AuthenticationFailed');
  });

  test('versions: any valid one is echoed, an invalid one is refused', async () => {
    const get = (version: string): RawRequest => ({
      method: 'GET',
      target: '/Tables',
      headers: { 'x-ms-version': version },
    });
    for (const version of ['2013-08-15', '2018-03-28', '2026-10-06', '2099-12-31']) {
      const { status, headers } = await send(get(version));
      assert.deepEqual([status, headers['x-ms-version']], [200, version]);
    }
    await expectCode(get('latest'), 400, 'InvalidHeaderValue');
    const [atom, json] = ['application/atom+xml,application/xml', 'application/json'];
    const old = (Accept: string) => ({
      ...get('2012-02-12'),
      headers: { 'x-ms-version': '2012-02-12', Accept },
    });
    await expectCode(old(json), 415, 'JsonFormatNotSupported');
    await expectCode(old(atom), 415, 'AtomFormatNotSupported');
  });

  test('the id of the client comes back from 2019-02-02 on', async () => {
    const echoed = async (version: string, id: string): Promise<unknown> =>
      (
        await send({
          method: 'GET',
          target: '/Tables',
          headers: { 'x-ms-version': version, 'x-ms-client-request-id': id },
        })
      ).headers['x-ms-client-request-id'];
    assert.equal(await echoed('2019-02-02', 'mine'), 'mine');
    assert.equal(await echoed('2017-04-17', 'mine'), undefined);
    assert.equal(await echoed('2019-02-02', 'x'.repeat(1025)), undefined);
  });

  test('formats that are not served', async () => {
    const atom = await expectCode(
      { method: 'GET', target: '/Tables', headers: { Accept: 'application/atom+xml' } },
      415,
      'AtomFormatNotSupported',
    );
    assert.equal(atom.headers['content-type'], 'application/xml;charset=utf-8');
    assert(atom.body.startsWith('<?xml version="1.0" encoding="utf-8"?><error xmlns='));
    for (const Accept of ['*/*', 'application/atom+xml,application/json;q=0.9'])
      assert.equal((await send({ method: 'GET', target: '/Tables', headers: { Accept } })).status, 200);
  });

  test('bodies that are none', async () => {
    const post = (body: string): RawRequest => ({
      method: 'POST',
      target: `/${table}`,
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    const keys = '"PartitionKey":"p","RowKey":"r"';
    await expectCode(post('{"PartitionKey":"p"'), 400, 'InvalidInput');
    await expectCode(post('[]'), 400, 'InvalidInput');
    await expectCode(post(`{${keys},"o":{}}`), 400, 'InvalidInput');
    await expectCode(post(`{${keys},"a":1,"a":2}`), 400, 'DuplicatePropertiesSpecified');
    await expectCode(post('{"PartitionKey":"p"}'), 400, 'PropertiesNeedValue');
    await expectCode(post('{"PartitionKey":5,"RowKey":"r"}'), 400, 'InvalidInput');
    await expectCode(post(`{${keys},"123":1}`), 400, 'PropertyNameInvalid');
    await expectCode(post(' '.repeat(4 * 1_048_576)), 400, 'InvalidInput');
    const large = await expectCode(post(' '.repeat(4 * 1_048_576 + 1)), 413, 'RequestBodyTooLarge');
    assert.match(
      large.body,
      /"value":"The request body is too large and exceeds the maximum permissible limit\.\\n/,
    );
    const chars = await send(post(`{"PartitionKey":"a/b","RowKey":"r"}`));
    assert.match(chars.body, /The 'PartitionKey' parameter of value 'a\/b' is out of range\./);
  });

  test('invalid conditions', async () => {
    const target = `/${table}(PartitionKey='p',RowKey='r')`;
    await expectCode({ method: 'DELETE', target }, 400, 'MissingRequiredHeader');
    await expectCode({ method: 'DELETE', target, headers: { 'If-Match': 'abc' } }, 400, 'InvalidInput');
    await expectCode(
      { method: 'PUT', target, headers: { 'If-None-Match': '*' }, body: '{}' },
      400,
      'InvalidInput',
    );
    const both = { 'If-Match': '*', 'If-None-Match': '*' };
    await expectCode({ method: 'PUT', target, headers: both, body: '{}' }, 400, 'InvalidInput');
    await expectCode(
      { method: 'DELETE', target, headers: { 'If-Match': 'W/"wrong"' } },
      404,
      'ResourceNotFound',
    );
  });

  test('query options that are not supported', async () => {
    for (const [option, status] of [
      ['$orderby=n', 501],
      ['$skip=5', 501],
      ['$top=1001', 400],
      ['$top=-1', 400],
      ['$filter=n%20eq', 400],
      ['NextPartitionKey=broken', 400],
    ] as const)
      assert.equal((await send({ method: 'GET', target: `/${table}()?${option}` })).status, status, option);
  });

  test('the first failing check is reported: caller, name, permissions, body, table', async () => {
    const wrong = { key: WRONG_KEY } as const;
    await expectCode(
      { method: 'POST', target: '/my_table', body: '{', ...wrong },
      403,
      'AuthenticationFailed',
    );
    await expectCode({ method: 'POST', target: '/my_table', body: '{' }, 400, 'InvalidResourceName');
    await expectCode({ method: 'POST', target: '/missing', body: '{}' }, 404, 'TableNotFound');
    await expectCode({ method: 'POST', target: `/${table}`, body: '{}' }, 400, 'PropertiesNeedValue');
    await expectCode(
      { method: 'POST', target: '/missing', body: '{"PartitionKey":"p","RowKey":"r"}' },
      404,
      'TableNotFound',
    );
    const early = await send({ method: 'GET', target: '/my_table' });
    assert.deepEqual(
      [early.headers['cache-control'], early.headers['x-content-type-options']],
      [undefined, 'nosniff'],
    );
    const late = await send({ method: 'GET', target: `/${table}(PartitionKey='p',RowKey='missing')` });
    assert.deepEqual(
      [late.headers['cache-control'], late.headers['x-content-type-options']],
      ['no-cache', 'nosniff'],
    );
  });

  test('a refusal of HEAD ends with its head and describes no content', async () => {
    for (const sign of ['none', 'SharedKeyLite'] as const) {
      const { status, headers, body } = await send({ method: 'HEAD', target: '/Tables', sign });
      assert.equal(status, sign === 'none' ? 403 : 405);
      assert.equal(body, '');
      assert.deepEqual([headers['content-type'], headers['content-length']], [undefined, undefined]);
    }
  });

  test('bytes that are no HTTP end the connection, and the server goes on', async () => {
    for (const bytes of ['NONSENSE\r\n\r\n', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\n\r\n`]) {
      const answer = await new Promise<string>((resolve, reject) => {
        const socket = connect(subject.server.tablePort, '127.0.0.1', () => socket.write(bytes));
        let received = '';
        socket.on('data', chunk => {
          received += chunk.toString('latin1');
        });
        socket.on('error', reject);
        socket.on('close', () => resolve(received));
      });
      assert.match(answer, /^HTTP\/1\.1 4(00|31) /);
    }
    assert.equal((await send({ method: 'GET', target: '/Tables' })).status, 200);
  });
});
