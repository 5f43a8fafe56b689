// Signatures in other spellings than their own, and repeated parameters, for both services (protocol:
// authentication#the-form-of-a-signature, authentication#parameters-that-come-twice).
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { before, test } from 'node:test';
import { queueEndpointOf } from '../support/queue-clients.js';
import { rawRequest } from '../support/raw-client.js';
import { describeTargets } from '../support/targets.js';

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly detail: string | undefined;
}

/** Spellings of a signature that mean the same bytes to a lenient decoder, or that begin or end with it. */
const misspelt = (good: string): readonly string[] => [
  good.slice(0, -1),
  `${good}=`,
  `${good}A`,
  `${good}AAAA`,
  `${good},${good}`,
  `${good.slice(0, 10)} ${good.slice(10)}`,
  good.replace(/.=$/, last => `${String.fromCharCode(last.charCodeAt(0) + 1)}=`),
  Buffer.from(good, 'base64').toString('base64url'),
  Buffer.from(good, 'base64').toString('hex'),
  Buffer.from(good, 'base64').subarray(0, 31).toString('base64'),
];

const inAnHour = (): string => `${new Date(Date.now() + 3_600_000).toISOString().slice(0, 19)}Z`;

describeTargets('the form of signatures', subject => {
  let name = '';
  const account = () => subject.server.account;
  const sign = (text: string): string =>
    createHmac('sha256', Buffer.from(account().key, 'base64')).update(text).digest('base64');

  before(async () => {
    name = subject.newTableName();
    const body = JSON.stringify({ TableName: name });
    const target = `/${account().name}/Tables`;
    assert.equal((await rawRequest(subject.server, { method: 'POST', target, body })).status, 201);
    assert.equal(
      (
        await send(
          queueEndpointOf(subject.server),
          'PUT',
          `/${account().name}/${name}`,
          queueKey('PUT', `/${name}`),
        )
      ).status,
      201,
    );
  });

  function send(
    endpoint: string,
    method: string,
    target: string,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { port } = new URL(endpoint);
      const outgoing = request({ port, host: '127.0.0.1', method, path: target, headers }, incoming => {
        let text = '';
        incoming.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            code: /<(?:m:)?code>(\w+)</i.exec(text)?.[1],
            detail: /<(?:m:)?AuthenticationErrorDetail>([^<]*)</.exec(text)?.[1],
          }),
        );
      });
      outgoing.on('error', reject).end();
    });
  }

  const VERSION = '2021-02-12';
  const stamp = () => ({ 'x-ms-date': new Date().toUTCString(), 'x-ms-version': VERSION });

  /** Headers of a request to the queue service without a body; `query` as lines of the canonical resource. */
  function queueKey(method: string, path: string, query = '', misspell = (good: string): string => good) {
    const headers = stamp();
    const canonical = `x-ms-date:${headers['x-ms-date']}\nx-ms-version:${VERSION}\n`;
    const text = `${method}${'\n'.repeat(12)}${canonical}/${account().name}/${account().name}${path}${query}`;
    return { ...headers, Authorization: `SharedKey ${account().name}:${misspell(sign(text))}` };
  }

  function tableKey(target: string, misspell = (good: string): string => good) {
    const headers = stamp();
    const text = `${headers['x-ms-date']}\n/${account().name}${target}`;
    return { ...headers, Authorization: `SharedKeyLite ${account().name}:${misspell(sign(text))}` };
  }

  const services = [
    {
      service: 'table',
      endpoint: () => subject.server.tableEndpoint,
      target: (query: string) => `/${account().name}/${name}()?${query}`,
      serviceSas: (se: string) => ({
        fields: `sv=${VERSION}&sp=r&se=${se}&tn=${name}`,
        text: `r\n\n${se}\n/table/${account().name}/${name.toLowerCase()}\n\n\n\n${VERSION}\n\n\n\n`,
      }),
    },
    {
      service: 'queue',
      endpoint: () => queueEndpointOf(subject.server),
      target: (query: string) => `/${account().name}/${name}/messages?peekonly=true&${query}`,
      serviceSas: (se: string) => ({
        fields: `sv=${VERSION}&sp=r&se=${se}`,
        text: `r\n\n${se}\n/queue/${account().name}/${name}\n\n\n\n${VERSION}`,
      }),
    },
  ];

  for (const { service, endpoint, target, serviceSas } of services) {
    const accountSas = (se: string) => ({
      fields: `sv=${VERSION}&ss=tq&srt=sco&sp=r&se=${se}`,
      text: `${account().name}\nr\ntq\nsco\n\n${se}\n\n\n${VERSION}\n\n`,
    });
    const get = (query: string): Promise<Answer> =>
      send(endpoint(), 'GET', target(query), { 'x-ms-version': VERSION });

    for (const [kind, sas] of Object.entries({ serviceSas, accountSas })) {
      test(`${service}, ${kind}: one spelling of sig, once`, async () => {
        const { fields, text } = sas(inAnHour());
        const good = sign(text);
        assert.equal((await get(`${fields}&sig=${encodeURIComponent(good)}`)).status, 200);
        for (const wrong of misspelt(good)) {
          const { status, code, detail } = await get(`${fields}&sig=${encodeURIComponent(wrong)}`);
          assert.deepEqual([status, code], [403, 'AuthenticationFailed'], wrong);
          assert.match(detail ?? '', /^Signature (?:size is invalid|fields not well formed\.)$/, wrong);
        }
        // Also once the server knows the token.
        assert.equal((await get(`${fields}&sig=${encodeURIComponent(good)}`)).status, 200);
      });

      test(`${service}, ${kind}: no parameter that is signed twice`, async () => {
        const { fields, text } = sas(inAnHour());
        const whole = `${fields}&sig=${encodeURIComponent(sign(text))}`;
        assert.equal((await get(whole)).status, 200);
        assert.equal((await get(`${whole}&x=1&x=1`)).status, 200);
        for (const pair of [...whole.split('&'), 'sp=raup', 'sig=', 'se=2100-01-01']) {
          const found = await get(`${whole}&${pair}`);
          assert.deepEqual([found.status, found.code], [403, 'AuthenticationFailed'], pair);
        }
        for (const pair of ['spr=https,http&spr=https,http', 'st=&st=']) {
          const { status, detail } = await get(`${whole}&${pair}`);
          assert.equal(status, 403, pair);
          assert.match(detail ?? '', /more than once/);
        }
      });
    }
  }

  test('Shared Key of tables: one spelling, and one comp', async () => {
    const path = `/${account().name}/${name}`;
    const get = (target: string, headers: Record<string, string>) =>
      send(subject.server.tableEndpoint, 'GET', target, headers);
    assert.equal((await get(path, tableKey(path))).status, 200);
    for (let i = 0; i < misspelt('A'.repeat(44)).length; i++) {
      const { status, code } = await get(
        path,
        tableKey(path, good => misspelt(good)[i] ?? ''),
      );
      assert.deepEqual([status, code], [403, 'AuthenticationFailed'], String(i));
    }
    const signed = tableKey(`${path}?comp=acl`);
    assert.equal((await get(`${path}?comp=acl`, signed)).status, 200);
    for (const second of ['acl', '', 'metadata'])
      assert.equal((await get(`${path}?comp=acl&comp=${second}`, signed)).status, 403, second);
    assert.equal((await get(`${path}?timeout=1&timeout=1&comp=acl`, signed)).status, 200);
  });

  test('Shared Key of queues: one spelling, and each parameter once', async () => {
    const path = `/${account().name}/${name}`;
    const get = (query: string, headers: Record<string, string>) =>
      send(queueEndpointOf(subject.server), 'GET', `${path}?${query}`, headers);
    const lines = '\ncomp:metadata\ntimeout:30';
    assert.equal((await get('comp=metadata&timeout=30', queueKey('GET', `/${name}`, lines))).status, 200);
    for (let i = 0; i < misspelt('A'.repeat(44)).length; i++) {
      const headers = queueKey('GET', `/${name}`, lines, good => misspelt(good)[i] ?? '');
      const { status, code } = await get('comp=metadata&timeout=30', headers);
      assert.deepEqual([status, code], [403, 'AuthenticationFailed'], String(i));
    }
    const joined = queueKey('GET', `/${name}`, '\ncomp:metadata\ntimeout:30,30');
    const { status, code } = await get('comp=metadata&timeout=30&timeout=30', joined);
    assert.deepEqual([status, code], [403, 'AuthenticationFailed']);
  });
});
