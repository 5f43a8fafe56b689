// Requests to the Queue service as operations: every parameter with its default, its bounds, and invalid values.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '#account';
import { QueueError } from '#queues';
import { parseTarget } from '../shared/target.js';
import { parseQueueOperation } from './parse-queue-operation.js';
import { queueOperationKind } from './queue-operation-kind.js';
import { QUEUE_GRAMMAR } from './queue-route.js';

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function parse(method: string, path: string, { headers = {}, body = '' }: Sent = {}) {
  const route = parseTarget(
    { target: `/acc/${path}`, headers: { host: '127.0.0.1' }, secure: false },
    new Set(),
    QUEUE_GRAMMAR,
  );
  const request = { headers, body: Buffer.from(body) };
  return parseQueueOperation(queueOperationKind(method, route), request, route);
}

const textOf = (text: string): string => `<QueueMessage><MessageText>${text}</MessageText></QueueMessage>`;

function refusal(method: string, path: string, sent?: Sent): string {
  try {
    parse(method, path, sent);
  } catch (error) {
    assert(error instanceof QueueError || error instanceof ServiceError);
    return error.code;
  }
  return 'none';
}

function detailOf(method: string, path: string, sent?: Sent): object {
  try {
    parse(method, path, sent);
  } catch (error) {
    if (error instanceof QueueError) return error.detail;
  }
  return assert.fail(path);
}

describe('queues', () => {
  test('a list', () => {
    const all = { kind: 'listQueues', prefix: '', from: undefined, top: 5000 };
    assert.deepEqual(parse('GET', '?comp=list'), all);
    assert.deepEqual(parse('GET', '?comp=list&prefix=&marker=&maxresults=&include='), all);
    assert.deepEqual(parse('GET', '?comp=list&prefix=a-&marker=%2Facc%2Fa-1&maxresults=3'), {
      kind: 'listQueues',
      prefix: 'a-',
      from: 'a-1',
      top: 3,
    });
    assert.deepEqual(parse('GET', '?comp=list&marker=a-1'), { ...all, from: 'a-1' });
  });

  test('pages have 1 to 5000 entries', () => {
    for (const size of ['1', '5000']) assert.equal(refusal('GET', `?comp=list&maxresults=${size}`), 'none');
    for (const size of ['0', '-1', '5001'])
      assert.equal(refusal('GET', `?comp=list&maxresults=${size}`), 'OutOfRangeQueryParameterValue');
    for (const size of ['a', '1.5', '1e3', '99999999999', '0x1'])
      assert.equal(refusal('GET', `?comp=list&maxresults=${size}`), 'InvalidQueryParameterValue', size);
    assert.deepEqual(detailOf('GET', '?comp=list&maxresults=0'), {
      name: 'maxresults',
      value: 0,
      minimum: 1,
      maximum: 5000,
    });
  });

  test('a marker names one queue of the account', () => {
    for (const marker of ['/other/q', '/acc/', '/acc/q/more'])
      assert.equal(
        refusal('GET', `?comp=list&marker=${encodeURIComponent(marker)}`),
        'InvalidMarker',
        marker,
      );
  });

  test('metadata is in headers, and keeps its spelling', () => {
    const headers = {
      'x-ms-meta-one': '1',
      'x-ms-meta-two': '',
      ':x-ms-meta-two': 'x-ms-meta-Two',
      'x-ms-date': 'now',
    };
    const metadata = [
      { name: 'one', value: '1' },
      { name: 'Two', value: '' },
    ];
    assert.deepEqual(parse('PUT', 'q', { headers }), { kind: 'createQueue', queue: 'q', metadata });
    assert.deepEqual(parse('PUT', 'q?comp=metadata', { headers }), {
      kind: 'setQueueMetadata',
      queue: 'q',
      metadata,
    });
    assert.equal(refusal('PUT', 'q', { headers: { 'x-ms-meta-1a': '' } }), 'InvalidMetadata');
    assert.equal(refusal('PUT', 'q', { headers: { 'x-ms-meta-': '' } }), 'EmptyMetadataKey');
  });

  test('policies have letters of queues', () => {
    const body = (letters: string) =>
      `<SignedIdentifiers><SignedIdentifier><Id>a</Id><AccessPolicy><Permission>${letters}</Permission></AccessPolicy></SignedIdentifier></SignedIdentifiers>`;
    const policy = { start: undefined, expiry: undefined, permission: 'raup' };
    assert.deepEqual(parse('PUT', 'q?comp=acl', { body: body('raup') }), {
      kind: 'setQueueAcl',
      queue: 'q',
      identifiers: [{ id: 'a', policy }],
    });
    assert.equal(refusal('PUT', 'q?comp=acl', { body: body('raud') }), 'InvalidXmlDocument');
    assert.deepEqual(parse('PUT', 'q?comp=acl'), { kind: 'setQueueAcl', queue: 'q', identifiers: [] });
  });
});

describe('putting', () => {
  const put = (query: string, sent: Sent = { body: textOf('a') }) =>
    parse('POST', `q/messages${query}`, sent);
  const putRefusal = (query: string, version = '2026-04-06') =>
    refusal('POST', `q/messages${query}`, { body: textOf('a'), headers: { 'x-ms-version': version } });

  test('visible at once and for seven days, unless the client says otherwise', () => {
    const message = {
      kind: 'putMessage',
      queue: 'q',
      text: 'a',
      visibilitySeconds: 0,
      timeToLiveSeconds: 604_800,
    };
    assert.deepEqual(put(''), message);
    assert.deepEqual(put('?visibilitytimeout=5&messagettl=6&timeout=30'), {
      ...message,
      visibilitySeconds: 5,
      timeToLiveSeconds: 6,
    });
    assert.deepEqual(put('?messagettl=-1&visibilitytimeout=604800'), {
      ...message,
      visibilitySeconds: 604_800,
      timeToLiveSeconds: undefined,
    });
  });

  test('hidden for 0 to 604800 seconds', () => {
    for (const seconds of [0, 604_799, 604_800])
      assert.equal(putRefusal(`?messagettl=-1&visibilitytimeout=${seconds}`), 'none');
    for (const seconds of [-1, 604_801])
      assert.equal(
        putRefusal(`?messagettl=-1&visibilitytimeout=${seconds}`),
        'OutOfRangeQueryParameterValue',
      );
  });

  test('but for less than its time to live', () => {
    assert.equal(putRefusal('?visibilitytimeout=29&messagettl=30'), 'none');
    assert.equal(putRefusal('?visibilitytimeout=30&messagettl=30'), 'InvalidQueryParameterValue');
    assert.deepEqual(
      detailOf('POST', 'q/messages?visibilitytimeout=30&messagettl=30', { body: textOf('a') }),
      {
        name: 'visibilitytimeout',
        value: 30,
        reason: 'messagettl must be greater than visibilitytimeout',
      },
    );
  });

  test('with any time to live, in versions before 2017-07-29 at most seven days', () => {
    const beyond = ['2147483646', '2147483647', '2147483648', '9007199254740992', `1${'0'.repeat(400)}`];
    for (const seconds of ['-1', '1', '604801', '1073741824', ...beyond])
      assert.equal(putRefusal(`?messagettl=${seconds}`), 'none', seconds);
    for (const seconds of ['-2', '0', '-2147483649', 'x', '1.5', '1e3', '+1', '0x1'])
      assert.equal(putRefusal(`?messagettl=${seconds}`), 'InvalidQueryParameterValue', seconds);
    for (const seconds of ['1', '604800'])
      assert.equal(putRefusal(`?messagettl=${seconds}`, '2017-04-17'), 'none', seconds);
    for (const seconds of ['-1', '0', '604801', '2147483648'])
      assert.equal(
        putRefusal(`?messagettl=${seconds}`, '2017-04-17'),
        'OutOfRangeQueryParameterValue',
        seconds,
      );
    assert.equal(putRefusal('?messagettl=604801', '2017-07-29'), 'none');
  });

  test('64 KiB of text', () => {
    const sized = (bytes: number) =>
      refusal('POST', 'q/messages', { body: textOf('é'.repeat(bytes / 2) + 'a'.repeat(bytes % 2)) });
    assert.equal(sized(65_535), 'none');
    assert.equal(sized(65_536), 'none');
    assert.equal(sized(65_537), 'RequestBodyTooLarge');
    // The limit applies to the decoded text.
    assert.equal(refusal('POST', 'q/messages', { body: textOf('&amp;'.repeat(65_536)) }), 'none');
    assert.equal(refusal('POST', 'q/messages', { body: '' }), 'InvalidXmlDocument');
  });
});

describe('getting', () => {
  test('one message for 30 seconds, unless the client says otherwise', () => {
    const one = { kind: 'getMessages', queue: 'q', count: 1, visibilitySeconds: 30 };
    assert.deepEqual(parse('GET', 'q/messages'), one);
    assert.deepEqual(parse('GET', 'q/messages?numofmessages=32&visibilitytimeout=1'), {
      ...one,
      count: 32,
      visibilitySeconds: 1,
    });
    assert.deepEqual(parse('GET', 'q/messages?peekonly=true&numofmessages=2'), {
      kind: 'peekMessages',
      queue: 'q',
      count: 2,
    });
  });

  test('1 to 32 messages for 1 to 604800 seconds', () => {
    for (const peek of ['', '&peekonly=true']) {
      for (const count of [1, 32])
        assert.equal(refusal('GET', `q/messages?numofmessages=${count}${peek}`), 'none');
      for (const count of [0, 33])
        assert.equal(
          refusal('GET', `q/messages?numofmessages=${count}${peek}`),
          'OutOfRangeQueryParameterValue',
        );
    }
    for (const seconds of [1, 604_800])
      assert.equal(refusal('GET', `q/messages?visibilitytimeout=${seconds}`), 'none');
    for (const seconds of [0, 604_801])
      assert.equal(
        refusal('GET', `q/messages?visibilitytimeout=${seconds}`),
        'OutOfRangeQueryParameterValue',
      );
  });
});

describe('one message', () => {
  test('is updated with or without a text', () => {
    const update = { kind: 'updateMessage', queue: 'q', id: 'i', receipt: 'r+/=', visibilitySeconds: 0 };
    const path = 'q/messages/i?popreceipt=r%2B%2F%3D&visibilitytimeout=0';
    assert.deepEqual(parse('PUT', path, { body: textOf('') }), { ...update, text: '' });
    assert.deepEqual(parse('PUT', path, { headers: { 'content-type': 'application/xml' } }), {
      ...update,
      text: undefined,
    });
  });

  test('needs a receipt, and an update its time', () => {
    assert.deepEqual(parse('DELETE', 'q/messages/i?popreceipt=r'), {
      kind: 'deleteMessage',
      queue: 'q',
      id: 'i',
      receipt: 'r',
    });
    assert.deepEqual(detailOf('DELETE', 'q/messages/i'), { name: 'popreceipt' });
    assert.equal(refusal('DELETE', 'q/messages/i?popreceipt='), 'MissingRequiredQueryParameter');
    assert.equal(refusal('PUT', 'q/messages/i?visibilitytimeout=0'), 'MissingRequiredQueryParameter');
    assert.deepEqual(detailOf('PUT', 'q/messages/i?popreceipt=r'), { name: 'visibilitytimeout' });
    for (const [seconds, code] of [
      [-1, 'OutOfRangeQueryParameterValue'],
      [604_800, 'none'],
      [604_801, 'OutOfRangeQueryParameterValue'],
    ] as const)
      assert.equal(refusal('PUT', `q/messages/i?popreceipt=r&visibilitytimeout=${seconds}`), code);
  });
});

test('timeout is a number of seconds', () => {
  for (const text of ['', '0', '30', '9999'])
    assert.equal(refusal('GET', `q/messages?timeout=${text}`), 'none');
  for (const text of ['-1', 'a', '1.5'])
    assert.equal(refusal('GET', `q/messages?timeout=${text}`), 'InvalidQueryParameterValue');
});
