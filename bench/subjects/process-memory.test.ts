// Reading Linux's report about a process's memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryIn, readMemory } from './process-memory.js';

const SMAPS = `00400000-06000000 r-xp 00000000 fe:00 123  /usr/bin/node
Size:              92160 kB
Rss:               40000 kB
7f0000000000-7f0100000000 rw-s 00000000 fe:00 456  /srv/shelfmark/data.mdb
Size:            4194304 kB
Rss:               17000 kB
Pss:               17000 kB
7f0200000000-7f0200100000 rw-s 00000000 fe:00 457  /srv/shelfmark/data.mdb-lock
Rss:                   4 kB
7f0300000000-7f0300100000 rw-p 00000000 00:00 0
Rss:                  96 kB
7f0400000000-7f0500000000 r--s 00001000 fe:00 456  /srv/shelfmark/data.mdb
Rss:                   8 kB
`;

test('memory without the mapped data', () => {
  assert.equal(memoryIn(SMAPS), 40_100 * 1024);
});

test('a process of this system has memory, and one that is gone none', {
  skip: process.platform !== 'linux' && 'not Linux',
}, () => {
  assert((readMemory(process.pid) ?? 0) > 1_000_000);
  assert.equal(readMemory(2 ** 30), undefined);
});
