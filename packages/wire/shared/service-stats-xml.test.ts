// The stats document as captured (protocol: service-properties#stats).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatServiceStats } from './service-stats-xml.js';

test('live, to the second', () => {
  const ticks = BigInt(Date.UTC(2020, 7, 25, 16, 46, 24, 999)) * 10_000n;
  assert.equal(
    formatServiceStats(ticks),
    '\ufeff<?xml version="1.0" encoding="utf-8"?><StorageServiceStats><GeoReplication><Status>live</Status><LastSyncTime>Tue, 25 Aug 2020 16:46:24 GMT</LastSyncTime></GeoReplication></StorageServiceStats>',
  );
});

test('without a known last sync', () => {
  assert.match(formatServiceStats(undefined), /<Status>unavailable<\/Status><LastSyncTime \/>/);
});
