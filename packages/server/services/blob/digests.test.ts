// Digests of a part that is read: only with a range, only one of them, and of at most 4 MiB.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { Operation, Outcome } from '#blobs';
import { wantedDigests, withDigests } from './digests.js';

const MIB4 = 4 * 1_048_576;
type GetBlob = Extract<Operation, { kind: 'getBlob' }>;
const READ = { kind: 'getBlob', range: { from: 0, until: 10 } } as unknown as GetBlob;
const flags = (md5: string | undefined, crc64?: string) => ({
  'x-ms-range-get-content-md5': md5,
  'x-ms-range-get-content-crc64': crc64,
});

test('what is wanted', () => {
  assert.equal(wantedDigests({}, READ), undefined);
  assert.equal(wantedDigests(flags('false', 'False'), READ), undefined);
  assert.deepEqual(wantedDigests(flags('True'), READ), { md5: true, crc64: false });
  assert.deepEqual(wantedDigests(flags(undefined, 'true'), READ), { md5: false, crc64: true });
  const whole = { kind: 'getBlob', range: undefined } as unknown as GetBlob;
  for (const [headers, operation] of [
    [flags('true', 'true'), READ],
    [flags('true'), whole],
    [flags(undefined, 'true'), whole],
    [flags('yes'), READ],
  ] as const)
    assert.throws(() => wantedDigests(headers, operation), { code: 'InvalidHeaderValue' });
});

test('a part of at most 4 MiB, and a longer one is let go', async () => {
  let isOpen = 0;
  const outcome = (length: number): Outcome => {
    async function* content(): AsyncGenerator<Buffer> {
      isOpen += 1;
      try {
        yield Buffer.alloc(length);
      } finally {
        isOpen -= 1;
      }
    }
    return {
      kind: 'blobContent',
      range: { from: 0, until: length },
      content: content(),
    } as unknown as Outcome;
  };
  for (const length of [MIB4 - 1, MIB4]) {
    const md5 = createHash('md5').update(Buffer.alloc(length)).digest('base64');
    const digested = await withDigests(outcome(length), { md5: true, crc64: false });
    assert.deepEqual(digested.headers, [['Content-MD5', md5]]);
  }
  await assert.rejects(withDigests(outcome(MIB4 + 1), { md5: true, crc64: false }), {
    code: 'OutOfRangeInput',
  });
  assert.equal(isOpen, 0);
});
