// Documents of messages, byte for byte as recorded (protocol: messages#operations, messages#text).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '#account';
import { codePoint } from '#base/testing';
import { formatMessages, type ShownMessage } from './format-queue-outcome.js';
import { parseMessageText } from './parse-queue-operation.js';

const ticks = (date: string): bigint => BigInt(Date.parse(date)) * 10_000n;

const MESSAGE: ShownMessage = {
  id: 'ea4ef127-3d11-4e52-90c8-97ddff75f730',
  inserted: ticks('Thu, 09 May 2019 01:19:36 GMT'),
  expires: ticks('Thu, 16 May 2019 01:19:36 GMT'),
  receipt: 'AgAAAAMAAAAAAAAAqmD1QwUG1QE=',
  visible: ticks('Thu, 09 May 2019 01:20:06 GMT'),
  dequeueCount: 1,
  text: 'message1',
};

test('line breaks are kept, other characters are escaped by name', () => {
  const text = '  <&>"\'\t\r\n\u{1f600} ';
  assert.match(
    formatMessages([{ ...MESSAGE, text }]),
    /<MessageText> {2}&lt;&amp;&gt;"'\t\r\n\u{1f600} <\/MessageText>/u,
  );
});

const bodyOf = (text: string): Buffer =>
  Buffer.from(
    `<?xml version='1.0' encoding='utf-8'?>\n<QueueMessage><MessageText>${text}</MessageText></QueueMessage>`,
  );

test('a written text reads back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      // XML has no such characters, and reads every line break as a line feed.
      const kept = text.replace(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '');
      const [, shown = ''] =
        /<MessageText>(.*)<\/MessageText>/s.exec(formatMessages([{ ...MESSAGE, text: kept }])) ?? [];
      assert.equal(parseMessageText(bodyOf(shown)), kept);
    }),
  );
});

test('other documents are refused with their position', () => {
  const refusal = (body: string): ServiceError => {
    try {
      parseMessageText(Buffer.from(body));
    } catch (error) {
      if (error instanceof ServiceError) return error;
    }
    return assert.fail(body);
  };
  for (const body of [
    '',
    '<QueueMessage/>',
    '<Message><MessageText/></Message>',
    '<QueueMessage><MessageText><a/></MessageText></QueueMessage>',
    '<QueueMessage><MessageText/><MessageText/></QueueMessage>',
    '<QueueMessage><MessageText>\u0001</MessageText></QueueMessage>',
    '<QueueMessage><MessageText>&b;</MessageText></QueueMessage>',
  ])
    assert.equal(refusal(body).code, 'InvalidXmlDocument', body);
  assert.deepEqual(refusal('<QueueMessage>\n<MessageText>\u0001').detail.line, 2);
});

test('the fast path agrees with the parser', () => {
  const heads = [
    '',
    '<?xml version="1.0" encoding="utf-8"?>',
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>',
    '\ufeff<?xml version="1.0" encoding="utf-8"?>',
  ];
  const outcome = (document: string): string => {
    try {
      return parseMessageText(Buffer.from(document));
    } catch (error) {
      assert(error instanceof ServiceError);
      return `! ${error.code}`;
    }
  };
  // A space before the last bracket has no meaning in XML, and keeps the document off the fast path.
  const check = (head: string, text: string): void =>
    assert.equal(
      outcome(`${head}<QueueMessage><MessageText>${text}</MessageText></QueueMessage>`),
      outcome(`${head}<QueueMessage><MessageText>${text}</MessageText></QueueMessage >`),
      JSON.stringify(text),
    );
  const odd = [
    '\r',
    '\r\n',
    '\t \n',
    ']]>',
    '&amp;',
    '&',
    '<a/>',
    '</MessageText><MessageText>',
    '\0',
    '\ufffe',
    '\u0085',
    '\u2028',
    '😀',
    '',
  ];
  for (const head of heads) {
    for (const text of [...odd, ...odd.map(piece => `a${piece}b`), 'x'.repeat(65_536)]) check(head, text);
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), text => check(head, text)),
      { numRuns: 200 },
    );
  }
  assert.equal(outcome('<QueueMessage><MessageText></MessageText></QueueMessage>'), '');
  assert.equal(outcome('<QueueMessage><MessageText></QueueMessage>'), '! InvalidXmlDocument');
});
