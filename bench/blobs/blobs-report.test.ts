// The verdicts on the measurements of the Blob service, at the goals and on both sides of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blobsReport } from './blobs-report.js';
import type { Rate } from './ground.js';

const rate = (name: string, perSecond: number, p50?: number): Rate => ({
  name,
  perSecond,
  p50,
  p99: p50,
  cost: 0.05,
  samples: [perSecond],
});

const pairs = (put: number, append: number, upload: number, download: number, list: number): string =>
  blobsReport({
    small: [rate('insert, 16 connections', 1000), rate('put, 16 connections', put)],
    appends: [rate('insert, 16 writers', 1000), rate('append, 16 writers', append)],
    transfers: [
      rate('upload at once, shelfmark', upload),
      rate('upload at once, node:fs', 1000),
      rate('upload at once, bare node:http', 800),
      rate('download, shelfmark', download),
      rate('download, bare node:http', 1000),
    ],
    lists: [rate('list of 100 blobs, shelfmark', list), rate('list of 100 blobs, azurite', 100)],
  });

test('each work is compared with its counterpart', () => {
  const held = pairs(700, 700, 600, 700, 1000);
  assert.doesNotMatch(held, /MISSED/);
  assert.equal(held.match(/holds/g)?.length, 5);
  assert.match(held, /^upload at once, bare node:http .* 0\.8 x *$/m);
  assert.match(held, /^upload at once: 0\.75 x bare node:http/m);
});

test('a missed goal is reported', () => {
  assert.match(pairs(699, 700, 600, 700, 1000), /^put, 16 connections .* 0\.699 x .*MISSED$/m);
  assert.match(pairs(700, 699, 600, 700, 1000), /^append, 16 writers .*MISSED$/m);
  assert.match(pairs(700, 700, 599, 700, 1000), /^upload at once, shelfmark .*MISSED$/m);
  assert.match(pairs(700, 700, 600, 699, 1000), /^download, shelfmark .*MISSED$/m);
  assert.match(pairs(700, 700, 600, 700, 999), /^list of 100 blobs, shelfmark .*MISSED$/m);
});

test('memory, the tail and a list by prefix have bounds of their own', () => {
  const report = (growth: number, uploading: number, p50: number): string =>
    blobsReport({
      memory: [{ name: '16 uploads at once', before: 1e8, highest: 1e8 + growth, megabytesPerSecond: 500 }],
      tail: { quiet: 2, uploading, megabytesPerSecond: 100, samples: [] },
      prefix: { blobs: 1_000_000, found: 100, rate: rate('list', 50, p50) },
    });
  assert.equal(report(100e6, 4, 10).match(/holds/g)?.length, 3);
  assert.equal(report(101e6, 4.1, 10.1).match(/MISSED/g)?.length, 3);
});
