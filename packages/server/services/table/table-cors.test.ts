// CORS through the whole service: preflights without credentials, and the headers of answers and of refusals
// (protocol: cors).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCOUNT, headersOf, openTable, refusalOf, type Sent, sentenceOf } from '../../testing/service.js';

const RULES = `<StorageServiceProperties><Cors>
<CorsRule><AllowedOrigins>http://a.example</AllowedOrigins><AllowedMethods>GET,PUT</AllowedMethods><AllowedHeaders>x-ms-*,accept</AllowedHeaders><ExposedHeaders>x-ms-request-id,ETag</ExposedHeaders><MaxAgeInSeconds>60</MaxAgeInSeconds></CorsRule>
<CorsRule><AllowedOrigins>*</AllowedOrigins><AllowedMethods>DELETE</AllowedMethods><AllowedHeaders></AllowedHeaders><ExposedHeaders>*</ExposedHeaders><MaxAgeInSeconds>0</MaxAgeInSeconds></CorsRule>
</Cors></StorageServiceProperties>`;

async function openRules() {
  const opened = await openTable();
  const body = RULES.replaceAll('\n', '');
  const set = await opened.send('PUT', '?restype=service&comp=properties', { body });
  assert.equal(set.status, 202);
  return opened;
}

const ORIGIN = { origin: 'http://a.example' };
const preflight = (headers: Sent['headers']): Sent => ({ headers: headers ?? {}, anonymous: true });
const asking = (method: string, headers?: string) => ({
  ...ORIGIN,
  'access-control-request-method': method,
  'access-control-request-headers': headers,
});

test('a preflight that no rule allows, or that does not ask', async () => {
  const { send, raw } = await openRules();
  const refused = '403 CorsPreflightFailure';
  for (const headers of [
    asking('POST'),
    asking('GET', 'authorization'),
    { ...asking('GET'), origin: 'http://b.example' },
    { ...asking('GET'), origin: 'HTTP://A.example' },
  ]) {
    const response = await send('OPTIONS', 'People', preflight(headers));
    assert.equal(refusalOf(response), refused);
    assert.equal(headersOf(response).get('content-type'), 'application/xml');
    assert.equal(headersOf(response).get('access-control-allow-origin'), undefined);
  }
  for (const headers of [{}, ORIGIN, { 'access-control-request-method': 'GET' }]) {
    const response = await send('OPTIONS', 'People', preflight(headers));
    assert.equal(refusalOf(response), '400 InvalidHeaderValue');
    assert.equal(sentenceOf(response), 'A required CORS header is not present.');
  }
  assert.equal(refusalOf(await raw('OPTIONS', '/nobody/People', preflight(asking('GET')))), refused);
  const { send: without } = await openTable();
  assert.equal(refusalOf(await without('OPTIONS', 'People', preflight(asking('GET')))), refused);
});

test('answers to a page of a rule, refusals too', async () => {
  const { send, raw } = await openRules();
  const answers = [
    await send('GET', 'People', { headers: ORIGIN }),
    await send('GET', "People(PartitionKey='',RowKey='')", { headers: ORIGIN }),
    await send('GET', 'my_table', { headers: ORIGIN }),
    await raw('GET', `/${ACCOUNT}/People`, { headers: ORIGIN, anonymous: true }),
    await send('GET', 'People?comp=acl', { headers: ORIGIN }),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 404, 400, 403, 200],
  );
  for (const answer of answers) {
    const headers = headersOf(answer);
    assert.equal(headers.get('access-control-allow-origin'), 'http://a.example');
    assert.equal(headers.get('access-control-allow-credentials'), 'true');
    assert.equal(headers.get('vary'), 'Origin');
    assert.equal(headers.get('access-control-expose-headers'), 'x-ms-request-id');
  }
});

test('a page that no rule allows is answered without a word of it', async () => {
  const { send } = await openRules();
  const answer = await send('GET', 'People', { headers: { origin: 'http://b.example' } });
  assert.equal(answer.status, 200);
  const names = [...headersOf(answer).keys()].filter(name => name.startsWith('access-control'));
  assert.deepEqual(names, []);
});
