// Frames come whole however the bytes are cut; what is none ends the link.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decodePayload,
  encodeFrame,
  encodePayload,
  FRAME_BYTES_MAX,
  type Frame,
  FrameReader,
} from './frames.js';

function read(bytes: Buffer, size: number): readonly Frame[] {
  const reader = new FrameReader();
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; at += size) frames.push(...reader.add(bytes.subarray(at, at + size)));
  return frames;
}

test('frames: however the bytes are cut', () => {
  const sent: readonly Frame[] = [
    { kind: 'ping', number: 7, payload: Buffer.from('link') },
    { kind: 'request', number: 0xffff_ffff, payload: Buffer.alloc(300, 1) },
    { kind: 'unknown', number: 0, payload: Buffer.alloc(0) },
  ];
  const bytes = Buffer.concat(sent.map(({ kind, number, payload }) => encodeFrame(kind, number, payload)));
  for (const size of [1, 2, 3, 8, 9, 10, 100, bytes.length])
    assert.deepEqual(read(bytes, size), sent, `${size}`);
});

test('frames: the longest, and one byte more', () => {
  const payload = Buffer.alloc(FRAME_BYTES_MAX - 5);
  for (const less of [1, 0])
    assert.equal(read(encodeFrame('answer', 1, payload.subarray(less)), 1_048_576).length, 1);
  const over = encodeFrame('answer', 1, Buffer.alloc(payload.length + 1));
  assert.throws(() => read(over, over.length), RangeError);
});

test('frames: what is none', () => {
  for (const bytes of [
    Buffer.from('GET / HTTP/1.1\r\n'),
    Buffer.from([0, 0, 0, 4, 0, 0, 0, 0]),
    Buffer.from([0, 0, 0, 5, 99, 0, 0, 0, 0]),
  ])
    assert.throws(() => read(bytes, bytes.length), RangeError);
});

test('frames: a payload has any text, and bytes', () => {
  const head = { text: 'ä\ud800 "', none: undefined, list: [1, null] };
  const body = Buffer.from([0, 255, 10]);
  const found = decodePayload(encodePayload(head, body));
  assert.deepEqual(found, { head: { text: head.text, list: head.list }, body });
  assert.throws(() => decodePayload(Buffer.from([0, 0, 0, 9, 1])), RangeError);
});
