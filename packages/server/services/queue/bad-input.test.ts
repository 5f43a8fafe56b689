// Whatever comes, the Queue service answers with a code of its own and has no fault. QUEUE_FUZZ_RUNS looks longer, as `npm run verify queues` does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '#base/testing';
import { wireCode } from '#wire';
import { QUEUE_ERROR_TABLE } from '#wire/queue';
import { Service } from '../../frame/handle-request.js';
import { headersOf, openService, textOf } from '../../testing/service.js';
import { signed } from '../../testing/storage-requests.js';
import { QUEUE_SERVICE } from './queue-service.js';

const RUNS = Number(process.env.QUEUE_FUZZ_RUNS ?? 60);
const CODES = new Set(Object.keys(QUEUE_ERROR_TABLE).map(wireCode));

const numbers = fc.oneof(
  fc.integer({ min: -2, max: 40 }).map(String),
  fc.constantFrom('', '604800', '604801', '2147483648', '99999999999', '1.5', '1e3', ' 1', 'NaN', '-0', '०'),
);
const names = fc.constantFrom(
  'q',
  'abc',
  'abc-1',
  'ab--c',
  'ABC',
  '$logs',
  'messages',
  '',
  '%00',
  'a%2Fb',
  'é',
  '..',
);
const receipts = fc.oneof(
  fc.base64String({ maxLength: 60 }),
  fc.constantFrom('', 'AgAAAAMAAAAAAAAAtB30WQUG1QE=', 'x'),
);
const parameter = fc.oneof(
  fc.tuple(
    fc.constantFrom('visibilitytimeout', 'messagettl', 'numofmessages', 'maxresults', 'timeout'),
    numbers,
  ),
  fc.tuple(
    fc.constantFrom('comp', 'COMP'),
    fc.constantFrom('list', 'metadata', 'acl', 'properties', 'stats', 'ACL', 'x'),
  ),
  fc.tuple(fc.constant('restype'), fc.constantFrom('service', 'account', '')),
  fc.tuple(fc.constant('peekonly'), fc.constantFrom('true', 'True', 'false', '')),
  fc.tuple(fc.constant('popreceipt'), receipts),
  fc.tuple(fc.constantFrom('prefix', 'marker', 'include'), fc.string({ maxLength: 12 })),
);
const query = fc
  .array(parameter, { maxLength: 2 })
  .map(pairs => pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&'));
const method = fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'MERGE');
const somePath = fc.oneof(
  names.map(name => `/${name}`),
  names.map(name => `/${name}/messages`),
  fc.webPath(),
);
/** What is meant by the request, before it is mutated. */
const SOUND: readonly (readonly [method: string, path: string, query: string])[] = [
  ['GET', '/', 'comp=list'],
  ['GET', '/', 'restype=service&comp=properties'],
  ['PUT', '/', 'restype=service&comp=properties'],
  ['PUT', '/abc', ''],
  ['DELETE', '/abc', ''],
  ['GET', '/abc', 'comp=metadata'],
  ['PUT', '/abc', 'comp=metadata'],
  ['HEAD', '/abc', 'comp=acl'],
  ['PUT', '/abc', 'comp=acl'],
  ['POST', '/abc/messages', ''],
  ['GET', '/abc/messages', ''],
  ['GET', '/abc/messages', 'peekonly=true'],
  ['DELETE', '/abc/messages', ''],
  [
    'DELETE',
    '/abc/messages/ea4ef127-3d11-4e52-90c8-97ddff75f730',
    'popreceipt=AgAAAAMAAAAAAAAAtB30WQUG1QE%3D',
  ],
  ['PUT', '/abc/messages/ea4ef127-3d11-4e52-90c8-97ddff75f730', 'visibilitytimeout=1&popreceipt=AgAA'],
];
const target = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...SOUND) },
  { weight: 1, arbitrary: fc.tuple(method, somePath, fc.constant('')) },
);
const document = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 40 }),
  fc
    .string({ unit: 'grapheme', maxLength: 40 })
    .map(text => `<QueueMessage><MessageText>${text}</MessageText></QueueMessage>`),
  fc.constantFrom(
    '',
    '<QueueMessage><MessageText>a</MessageText></QueueMessage>',
    '<QueueMessage/>',
    '<SignedIdentifiers />',
    '<SignedIdentifiers><SignedIdentifier><Id>a</Id></SignedIdentifier></SignedIdentifiers>',
    '<StorageServiceProperties />',
    '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
  ),
);
const text = fc.oneof(fc.constantFrom('', '2018-03-28', 'http://a.example'), fc.string({ maxLength: 8 }));
const headers = fc.oneof(
  fc.constant({}),
  fc.dictionary(fc.constantFrom('x-ms-meta-a', 'x-ms-meta-b', 'content-type', 'origin'), text, {
    maxKeys: 3,
  }),
  fc.dictionary(
    fc.constantFrom('x-ms-meta-', 'x-ms-meta-1', 'x-ms-version', 'x-ms-client-request-id'),
    text,
    { maxKeys: 2 },
  ),
);

test('every request has an answer of the protocol', async () => {
  const { service, failures } = openService();
  const queues = new Service(QUEUE_SERVICE, service);
  const asked = fc.record({ sound: target, more: query, headers, body: document });
  await fc.assert(
    fc.asyncProperty(asked, async ({ sound: [method, path, own], more, ...sent }) => {
      await queues.handle(signed({ method: 'PUT', target: '/abc' }));
      const all = [own, more].filter(part => part !== '').join('&');
      const target = all === '' ? path : `${path}?${all}`;
      const response = await queues.handle(signed({ method, target, ...sent }));
      assert.deepEqual(failures, []);
      const code = headersOf(response).get('x-ms-error-code');
      assert.equal(response.status >= 400, code !== undefined, `${response.status} ${code}`);
      if (code === undefined) return;
      assert.ok(CODES.has(code) && response.status < 500, `${response.status} ${code}`);
      assert.ok(textOf(response).includes(`<Error><Code>${code}</Code><Message>`));
    }),
    { numRuns: RUNS },
  );
});
