// Lists of requests to all services as values, half of them damaged: each answer is one that the protocol has. A failing
// list is shrunk to the requests that it needs. `npm run verify fuzz` makes more of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openMemoryStore } from '#store';
import { BODY_BYTES_MAX } from '../../../packages/server/frame/handle-request.js';
import { several } from '../../random/arbitrary.js';
import { accountSas } from '../../simulation/run/signing.js';
import { answerOf, type DirectServer, directService } from '../../support/direct-service.js';
import { checkAnswer } from '../check-answer.js';
import { checkCases } from '../check-cases.js';
import { ACCOUNT, NOW } from '../world.js';
import { type FuzzRequest, requests } from './request.js';
import { CONTAINERS, QUEUES, TABLES } from './words.js';

const LISTS = 4;
const REQUESTS_MAX = 800;
const SAS = { table: 't', queue: 'q', blob: 'b' } as const;
const SERVICES = { table: 'tables', queue: 'queues', blob: 'blobs' } as const;

/** @returns the status. @throws what is wrong. */
async function send(server: DirectServer, failures: unknown[], request: FuzzRequest): Promise<number> {
  const { service, method, target, headers, body } = request;
  // In the form in which a connection hands it on.
  const bodyTooLarge = body.length > BODY_BYTES_MAX;
  const bytes = bodyTooLarge ? '' : Buffer.from(body, 'latin1');
  const sent = { method, target, headers, body: bytes, bodyTooLarge };
  const answer = await answerOf(server[SERVICES[service]], sent, failures);
  checkAnswer(service, { ...answer, isHead: method === 'HEAD' });
  return answer.status;
}

type Sent = Pick<FuzzRequest, 'service' | 'method'> & Partial<FuzzRequest>;

const signed = ({ target = '', body = '', headers, ...rest }: Sent): FuzzRequest => ({
  ...rest,
  target: `/${ACCOUNT}/${target}${target.includes('?') ? '&' : '?'}${accountSas(SAS[rest.service])}`,
  headers: { host: 'h', 'x-ms-version': '2021-12-02', 'content-length': String(body.length), ...headers },
  body,
});
const blob = (name: string, type: string): FuzzRequest =>
  signed({
    service: 'blob',
    method: 'PUT',
    target: `${CONTAINERS[0]}/${name}`,
    headers: { 'x-ms-blob-type': type, ...(type === 'PageBlob' && { 'x-ms-blob-content-length': '8192' }) },
    body: type === 'BlockBlob' ? 'content' : '',
  });

/** Makes what most requests name. */
const FIRST: readonly FuzzRequest[] = [
  ...TABLES.map(TableName => {
    const body = JSON.stringify({ TableName });
    return signed({ service: 'table', method: 'POST', target: 'Tables', body });
  }),
  ...CONTAINERS.map(name => signed({ service: 'blob', method: 'PUT', target: `${name}?restype=container` })),
  ...QUEUES.map(target => signed({ service: 'queue', method: 'PUT', target })),
  ...[blob('a', 'BlockBlob'), blob('pages', 'PageBlob'), blob('log', 'AppendBlob')],
];

test('whatever the requests, each answer is one that the protocol has', async () => {
  const statuses = new Set<number>();
  await checkCases(LISTS, async () =>
    fc.asyncProperty(several(requests, 1, REQUESTS_MAX), async all => {
      const failures: unknown[] = [];
      const server = directService(openMemoryStore({ clock: () => NOW }), () => NOW, failures);
      for (const one of FIRST) assert.equal(await send(server, failures, one), 201);
      for (const one of all) statuses.add(await send(server, failures, one));
    }),
  );
  for (const status of [200, 201, 202, 204, 400, 401, 403, 404, 405, 409, 412, 415])
    assert.ok(statuses.has(status), `No request was answered with ${status}.`);
});
