// Heads of answers: their text, and that nothing in them can break out of its line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WireResponse } from '#base';
import { formatEnding, formatHead } from './write-response.js';

const format = (headers: WireResponse['headers'], status = 200, reason?: string) =>
  formatHead({ status, reason, headers });

test('status line and headers, in order and as they are spelled', () => {
  const { text, bodyLength, isAscii } = format([
    ['x-Z', '1'],
    ['Content-Length', '5'],
    ['x-Z', '2'],
    ['Empty', ''],
  ]);
  assert.equal(text, 'HTTP/1.1 200 OK\r\nx-Z: 1\r\nContent-Length: 5\r\nx-Z: 2\r\nEmpty: \r\n');
  assert.deepEqual([bodyLength, isAscii], ['5', true]);
  assert.equal(format([], 404).text, 'HTTP/1.1 404 Not Found\r\n');
  assert.equal(format([], 299).text, 'HTTP/1.1 299 unknown\r\n');
  assert.equal(format([], 403, 'So it is.').text, 'HTTP/1.1 403 So it is.\r\n');
});

test('repeated values, and others between them', () => {
  for (let round = 0; round < 3; round++)
    for (const value of ['a', 'b', '\u00e9', 'x'.repeat(1_000), '', 'a\tb'])
      assert.equal(format([['x-again', value]]).text, `HTTP/1.1 200 OK\r\nx-again: ${value}\r\n`);
});

test('text that is not ASCII is reported', () => {
  for (let round = 0; round < 2; round++) {
    assert.equal(format([['x-wide', '\u00e9']]).isAscii, false);
    assert.equal(format([['x-wide', 'e']]).isAscii, true);
  }
  assert.equal(format([], 200, 'd\u00e9j\u00e0').isAscii, false);
});

test('a value that would break out of its line is a fault', () => {
  for (const bad of ['a\r\nb: c', '\n', '\r', '\0', '\u007f', '\u0100', 'a\u2028']) {
    assert.throws(() => format([['x-bad', bad]]), TypeError, JSON.stringify(bad));
    assert.throws(() => format([['Server', 'good']]) && format([['Server', bad]]), TypeError);
    assert.throws(() => format([[`x${bad}`, 'value']]), TypeError);
    assert.throws(() => format([], 400, bad), TypeError);
  }
  for (const name of ['', 'a b', 'a:', '\u00e9']) assert.throws(() => format([[name, '']]), TypeError);
});

test('how heads end', () => {
  const kept = formatEnding('kept');
  const date = /^Date: [A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT\r\n$/;
  const [at, line = ''] = [kept.indexOf('\r\n') + 2, kept.slice(0, kept.indexOf('\r\n') + 2)];
  assert.match(line, date);
  assert.equal(kept.slice(at), 'Connection: keep-alive\r\nKeep-Alive: timeout=120\r\n\r\n');
  assert.equal(formatEnding('closed'), `${line}Connection: close\r\n\r\n`);
  assert.equal(formatEnding('cut'), `Connection: close\r\n${line}\r\n`);
});
