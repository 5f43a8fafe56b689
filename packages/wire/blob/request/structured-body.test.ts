// Structured messages: what is wrapped is unwrapped in pieces of any length; a message that is cut, changed or lengthened is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobError } from '#blobs';
import {
  isStructured,
  STRUCTURED_FORM,
  structuredLength,
  unwrapped,
  wrapped,
  wrappedLength,
} from './uploads.js';

const SEGMENT = 4 * 1_048_576;

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function collect(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

const wrap = (content: Buffer, size = 1000) => collect(wrapped(inPieces(content, size), content.length));
const unwrap = (message: Buffer, length: number, size = 1000) =>
  collect(unwrapped(inPieces(message, size), length));

const CONTENT = Buffer.from('content');

async function refusal(message: Buffer, length = CONTENT.length): Promise<string> {
  try {
    await unwrap(message, length);
  } catch (error) {
    assert(error instanceof BlobError);
    return error.code;
  }
  return 'none';
}

const changed = (message: Buffer, at: number, value: number): Buffer => {
  const copy = Buffer.from(message);
  copy.writeUInt8(value, at);
  return copy;
};

test('the bytes of a message', async () => {
  const message = await wrap(Buffer.from('abc'));
  const crc = Buffer.from('6/rBP7vK5QU=', 'base64');
  const expected = Buffer.concat([
    Buffer.from([1, 52, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0]),
    Buffer.from([1, 0, 3, 0, 0, 0, 0, 0, 0, 0]),
    Buffer.from('abc'),
    crc,
    crc,
  ]);
  assert.deepEqual(message.subarray(0, 9), changed(expected, 1, message.length).subarray(0, 9));
  assert.deepEqual(message.subarray(9), expected.subarray(9));
  assert.equal(message.length, wrappedLength(3));
});

test('a content of any length comes back, in pieces of any length', async () => {
  for (const length of [0, 1, 1000, 1001]) {
    const content = Buffer.alloc(length, 'content');
    const message = await wrap(content, 7);
    assert.equal(message.length, wrappedLength(length));
    for (const size of [1, 13, message.length || 1])
      assert.deepEqual(await unwrap(message, length, size), content);
  }
});

test('a long one has segments of 4 MiB', async () => {
  for (const length of [SEGMENT, SEGMENT + 1]) {
    const content = Buffer.alloc(length, 'x');
    const message = await wrap(content, SEGMENT);
    assert.equal(message.length, wrappedLength(length));
    assert.equal(message.readUInt16LE(11), length === SEGMENT ? 1 : 2);
    assert.ok((await unwrap(message, length, 100_000)).equals(content));
  }
});

test('a message that is cut anywhere, or longer', async () => {
  const message = await wrap(CONTENT);
  for (let length = 0; length < message.length; length++)
    assert.equal(await refusal(message.subarray(0, length)), 'InvalidInput', String(length));
  assert.equal(await refusal(Buffer.concat([message, Buffer.of(0)])), 'InvalidInput');
});

test('sums that differ, of a segment and of the whole', async () => {
  const message = await wrap(CONTENT);
  const [first, ofSegment, ofAll] = [23, 30, 38];
  for (const at of [first, ofSegment, ofSegment + 7, ofAll, ofAll + 7])
    assert.equal(await refusal(changed(message, at, message.readUInt8(at) ^ 1)), 'Crc64Mismatch', String(at));
});

test('another version, flag, number or length', async () => {
  const message = await wrap(CONTENT);
  for (const [at, value] of [
    [0, 0],
    [0, 2],
    [9, 0],
    [9, 2],
    [10, 1],
    [11, 2],
    [13, 0],
    [13, 2],
    [15, 255],
    [22, 255],
  ] as const)
    assert.equal(await refusal(changed(message, at, value)), 'InvalidInput', `${at} ${value}`);
  assert.equal(await refusal(changed(message, 11, 0)), 'InvalidInput');
  // Of a shorter segment, what follows is read as its sum.
  assert.equal(await refusal(changed(message, 15, 6)), 'Crc64Mismatch');
});

test('a content of another length than the request says', async () => {
  const message = await wrap(CONTENT);
  assert.equal(await refusal(message, 7), 'none');
  for (const length of [0, 6, 8, 1_000_000]) assert.equal(await refusal(message, length), 'InvalidInput');
  assert.equal(await refusal(await wrap(Buffer.alloc(0)), 1), 'InvalidInput');
});

test('a source is closed after a fault', async () => {
  let isClosed = false;
  async function* source(): AsyncGenerator<Buffer, void, undefined> {
    try {
      for (;;) yield Buffer.alloc(100);
    } finally {
      isClosed = true;
    }
  }
  await assert.rejects(collect(unwrapped(source(), 100)));
  assert.equal(isClosed, true);
});

test('the headers', () => {
  const name = 'x-ms-structured-body';
  assert.equal(isStructured({}), false);
  for (const text of [STRUCTURED_FORM, 'xsm/1.0;properties=CRC64'])
    assert.equal(isStructured({ [name]: text }), true);
  for (const text of ['x', 'XSM/1.0', 'XSM/2.0; properties=crc64', 'XSM/1.0; properties=md5'])
    assert.throws(() => isStructured({ [name]: text }), { code: 'InvalidHeaderValue' });
  const length = (text: string) => structuredLength({ 'x-ms-structured-content-length': text });
  assert.equal(length('0'), 0);
  assert.equal(length('9007199254740991'), 9_007_199_254_740_991);
  for (const text of ['-1', 'x', '1.5', '9007199254740992'])
    assert.throws(() => length(text), { code: 'InvalidHeaderValue' }, text);
  assert.throws(() => length(''), { code: 'MissingRequiredHeader' });
});
