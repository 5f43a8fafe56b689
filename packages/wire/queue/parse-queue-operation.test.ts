// Requests to the Queue service as operations: every parameter with its default, its bounds, and invalid values.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#account';
import { parseTarget } from '../shared/target.js';
import { parseQueueOperation } from './parse-queue-operation.js';
import { QUEUE_GRAMMAR, queueOperationKind } from './queue-route.js';

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** `asked` is a method and a path below the account. */
function parse(asked: string, { headers = {}, body = '' }: Sent = {}) {
  const [method = '', path = ''] = asked.split(' ');
  const target = { target: `/acc/${path}`, headers: { host: '127.0.0.1' }, secure: false };
  const route = parseTarget(target, new Set(), QUEUE_GRAMMAR);
  const request = { headers, body: Buffer.from(body) };
  return parseQueueOperation(queueOperationKind(method, route), request, route);
}

function refusal(asked: string, sent?: Sent): ServiceError | undefined {
  try {
    parse(asked, sent);
  } catch (error) {
    assert(error instanceof ServiceError);
    return error;
  }
  return undefined;
}

/** The values go behind the request. */
function check(
  asked: string,
  values: readonly (string | number)[],
  code: string | undefined,
  sent?: Sent,
): void {
  for (const value of values) assert.equal(refusal(asked + value, sent)?.code, code, asked + value);
}

const OUT_OF_RANGE = 'OutOfRangeQueryParameterValue';
const INVALID = 'InvalidQueryParameterValue';
const MISSING = 'MissingRequiredQueryParameter';

const textOf = (text: string): string => `<QueueMessage><MessageText>${text}</MessageText></QueueMessage>`;
const MESSAGE = { body: textOf('a') };
const aclOf = (letters: string): Sent => ({
  body: `<SignedIdentifiers><SignedIdentifier><Id>a</Id><AccessPolicy><Permission>${letters}</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>`,
});
const METADATA = {
  headers: {
    'x-ms-meta-one': '1',
    'x-ms-meta-two': '',
    ':x-ms-meta-two': 'x-ms-meta-Two',
    'x-ms-date': 'now',
  },
};

test('each request as an operation, with its defaults', () => {
  const list = { kind: 'listQueues', prefix: '', from: undefined, top: 5000 };
  const metadata = [
    { name: 'one', value: '1' },
    { name: 'Two', value: '' },
  ];
  const policy = { start: undefined, expiry: undefined, permission: 'raup' };
  const acl = { kind: 'setQueueAcl', queue: 'q' };
  const put = { kind: 'putMessage', queue: 'q', text: 'a', visibilitySeconds: 0, timeToLiveSeconds: 604_800 };
  const get = { kind: 'getMessages', queue: 'q', count: 1, visibilitySeconds: 30 };
  const update = { kind: 'updateMessage', queue: 'q', id: 'i', receipt: 'r+/=', visibilitySeconds: 0 };
  const UPDATE = 'PUT q/messages/i?popreceipt=r%2B%2F%3D&visibilitytimeout=0';
  const cases: readonly (readonly [asked: string, sent: Sent | undefined, operation: object])[] = [
    ['GET ?comp=list', undefined, list],
    ['GET ?comp=list&prefix=&marker=&maxresults=&include=', undefined, list],
    [
      'GET ?comp=list&prefix=a-&marker=%2Facc%2Fa-1&maxresults=3',
      undefined,
      { ...list, prefix: 'a-', from: 'a-1', top: 3 },
    ],
    ['GET ?comp=list&marker=a-1', undefined, { ...list, from: 'a-1' }],
    ['PUT q', METADATA, { kind: 'createQueue', queue: 'q', metadata }],
    ['PUT q?comp=metadata', METADATA, { kind: 'setQueueMetadata', queue: 'q', metadata }],
    ['PUT q?comp=acl', aclOf('raup'), { ...acl, identifiers: [{ id: 'a', policy }] }],
    ['PUT q?comp=acl', undefined, { ...acl, identifiers: [] }],
    ['POST q/messages', MESSAGE, put],
    [
      'POST q/messages?visibilitytimeout=5&messagettl=6&timeout=30',
      MESSAGE,
      { ...put, visibilitySeconds: 5, timeToLiveSeconds: 6 },
    ],
    [
      'POST q/messages?messagettl=-1&visibilitytimeout=604800',
      MESSAGE,
      { ...put, visibilitySeconds: 604_800, timeToLiveSeconds: undefined },
    ],
    ['GET q/messages', undefined, get],
    [
      'GET q/messages?numofmessages=32&visibilitytimeout=1',
      undefined,
      { ...get, count: 32, visibilitySeconds: 1 },
    ],
    [
      'GET q/messages?peekonly=true&numofmessages=2',
      undefined,
      { kind: 'peekMessages', queue: 'q', count: 2 },
    ],
    [UPDATE, { body: textOf('') }, { ...update, text: '' }],
    [UPDATE, { headers: { 'content-type': 'application/xml' } }, { ...update, text: undefined }],
    [
      'DELETE q/messages/i?popreceipt=r',
      undefined,
      { kind: 'deleteMessage', queue: 'q', id: 'i', receipt: 'r' },
    ],
  ];
  for (const [asked, sent, operation] of cases) assert.deepEqual(parse(asked, sent), operation, asked);
});

test('the bounds of each parameter', () => {
  check('GET ?comp=list&maxresults=', ['1', '5000'], undefined);
  check('GET ?comp=list&maxresults=', ['0', '-1', '5001'], OUT_OF_RANGE);
  check('GET ?comp=list&maxresults=', ['a', '1.5', '1e3', '99999999999', '0x1'], INVALID);
  check('GET ?comp=list&marker=', ['%2Fother%2Fq', '%2Facc%2F', '%2Facc%2Fq%2Fmore'], 'InvalidMarker');
  for (const peek of ['', 'peekonly=true&']) {
    check(`GET q/messages?${peek}numofmessages=`, [1, 32], undefined);
    check(`GET q/messages?${peek}numofmessages=`, [0, 33], OUT_OF_RANGE);
  }
  check('GET q/messages?visibilitytimeout=', [1, 604_800], undefined);
  check('GET q/messages?visibilitytimeout=', [0, 604_801], OUT_OF_RANGE);
  check('POST q/messages?messagettl=-1&visibilitytimeout=', [0, 604_799, 604_800], undefined, MESSAGE);
  check('POST q/messages?messagettl=-1&visibilitytimeout=', [-1, 604_801], OUT_OF_RANGE, MESSAGE);
  check('PUT q/messages/i?popreceipt=r&visibilitytimeout=', [0, 604_800], undefined);
  check('PUT q/messages/i?popreceipt=r&visibilitytimeout=', [-1, 604_801], OUT_OF_RANGE);
  check('GET q/messages?timeout=', ['', '0', '30', '9999'], undefined);
  check('GET q/messages?timeout=', ['-1', 'a', '1.5'], INVALID);
});

test('any time to live, in versions before 2017-07-29 at most seven days', () => {
  const asked = 'POST q/messages?messagettl=';
  const beyond = ['2147483646', '2147483647', '2147483648', '9007199254740992', `1${'0'.repeat(400)}`];
  check(asked, ['-1', '1', '604801', '1073741824', ...beyond], undefined, MESSAGE);
  check(asked, ['-2', '0', '-2147483649', 'x', '1.5', '1e3', '+1', '0x1'], INVALID, MESSAGE);
  const of = (version: string): Sent => ({ ...MESSAGE, headers: { 'x-ms-version': version } });
  check(asked, ['1', '604800'], undefined, of('2017-04-17'));
  check(asked, ['-1', '0', '604801', '2147483648'], OUT_OF_RANGE, of('2017-04-17'));
  check(asked, ['604801'], undefined, of('2017-07-29'));
});

test('64 KiB of text', () => {
  const asked = 'POST q/messages';
  const sized = (bytes: number) =>
    refusal(asked, { body: textOf('é'.repeat(bytes / 2) + 'a'.repeat(bytes % 2)) })?.code;
  assert.deepEqual([65_535, 65_536, 65_537].map(sized), [undefined, undefined, 'RequestBodyTooLarge']);
  // The limit applies to the decoded text.
  assert.equal(refusal(asked, { body: textOf('&amp;'.repeat(65_536)) }), undefined);
});

test('refusals, some with the details that their answers have', () => {
  const short = 'messagettl must be greater than visibilitytimeout';
  const cases: readonly (readonly [asked: string, sent: Sent | undefined, code: string, detail?: object])[] =
    [
      [
        'GET ?comp=list&maxresults=0',
        undefined,
        OUT_OF_RANGE,
        { name: 'maxresults', value: 0, minimum: 1, maximum: 5000 },
      ],
      ['PUT q', { headers: { 'x-ms-meta-1a': '' } }, 'InvalidMetadata'],
      ['PUT q', { headers: { 'x-ms-meta-': '' } }, 'EmptyMetadataKey'],
      ['PUT q?comp=acl', aclOf('raud'), 'InvalidXmlDocument'],
      ['POST q/messages', undefined, 'InvalidXmlDocument'],
      [
        'POST q/messages?visibilitytimeout=30&messagettl=30',
        MESSAGE,
        INVALID,
        { name: 'visibilitytimeout', value: 30, reason: short },
      ],
      ['DELETE q/messages/i', undefined, MISSING, { name: 'popreceipt' }],
      ['DELETE q/messages/i?popreceipt=', undefined, MISSING],
      ['PUT q/messages/i?visibilitytimeout=0', undefined, MISSING, { name: 'popreceipt' }],
      ['PUT q/messages/i?popreceipt=r', undefined, MISSING, { name: 'visibilitytimeout' }],
    ];
  for (const [asked, sent, code, detail] of cases) {
    const error = refusal(asked, sent);
    assert.equal(error?.code, code, asked);
    if (detail !== undefined) assert.deepEqual(error?.detail, detail, asked);
  }
  assert.equal(refusal('POST q/messages?visibilitytimeout=29&messagettl=30', MESSAGE), undefined);
});
