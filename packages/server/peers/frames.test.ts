// Frames come whole however the bytes are cut; what is none ends the link.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFrame, FRAME_BYTES_MAX, type Frame, FrameReader } from './frames.js';

function read(bytes: Buffer, size: number): readonly Frame[] {
  const reader = new FrameReader();
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; at += size) frames.push(...reader.add(bytes.subarray(at, at + size)));
  return frames;
}

test('frames: any text and any bytes, however they are cut', () => {
  const sent: readonly Frame[] = [
    { message: { kind: 'ping' }, body: Buffer.alloc(0) },
    { message: { kind: 'refused', number: 2 ** 32, reason: 'ä\ud800 "' }, body: Buffer.from([0, 255, 10]) },
    { message: { kind: 'pong', clock: 1.5 }, body: Buffer.alloc(300, 1) },
  ];
  const bytes = Buffer.concat(sent.map(({ message, body }) => encodeFrame(message, body)));
  for (const size of [1, 2, 3, 8, 9, 10, 100, bytes.length])
    assert.deepEqual(read(bytes, size), sent, `${size}`);
});

test('frames: the longest, and one byte more', () => {
  const body = Buffer.alloc(FRAME_BYTES_MAX + 1 - encodeFrame({ kind: 'ping' }).length);
  for (const less of [2, 1])
    assert.equal(read(encodeFrame({ kind: 'ping' }, body.subarray(less)), 1_048_576).length, 1);
  assert.throws(() => read(encodeFrame({ kind: 'ping' }, body), body.length), RangeError);
});

test('frames: what is none', () => {
  for (const bytes of ['GET / HTTP/1.1\r\n', '\0\0\0\x01\0\0\0\0{', '\0\0\0\0\0\0\0\0'])
    assert.throws(() => read(Buffer.from(bytes), 100), /^(?:RangeError|SyntaxError): /);
});
