// Reading Linux's reports about a process's memory.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import {
  besideData,
  childrenOf,
  parseMemory,
  parseTicks,
  readMemory,
  readTicks,
  sumMemory,
} from './process-status.js';

const STATUS = `Name:\tnode
VmRSS:\t  150000 kB
RssAnon:\t   90000 kB
RssFile:\t   59000 kB
RssShmem:\t    1000 kB
`;
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

test('the mapped data is separated from everything else', () => {
  const memory = parseMemory(STATUS, SMAPS);
  assert.deepEqual(memory, { anonymous: 91_000 * 1024, file: 59_000 * 1024, data: 17_008 * 1024 });
  assert.equal(besideData(memory), (91_000 + 59_000 - 17_008) * 1024);
});

test('a process of this system', { skip: process.platform === 'linux' ? false : 'not Linux' }, () => {
  const memory = readMemory(process.pid);
  assert.ok(memory !== undefined && memory.anonymous > 1_000_000 && memory.data === 0);
});

test('processor time', () => {
  const stat = `42 (a (very) odd) name) S 1 42 42 0 -1 4194560 5000 0 10 0 1234 66 7 8 20 0 11 0 9999 1 2 3`;
  assert.equal(parseTicks(stat), 1300);
});

test('a process that is gone has none', () => {
  assert.equal(readMemory(2 ** 30), undefined);
  assert.equal(readTicks(2 ** 30), undefined);
});

test('several processes count together; the children of one are those that live', {
  skip: process.platform !== 'linux',
}, async () => {
  const one = { anonymous: 1, file: 20, data: 5 };
  assert.deepEqual(sumMemory([one, { anonymous: 2, file: 30, data: 7 }]), {
    anonymous: 3,
    file: 50,
    data: 12,
  });
  assert.deepEqual(sumMemory([]), { anonymous: 0, file: 0, data: 0 });
  const child = spawn('sleep', ['60']);
  assert(child.pid !== undefined);
  assert(childrenOf(process.pid).includes(child.pid));
  child.kill('SIGKILL');
  await once(child, 'close');
  assert(!childrenOf(process.pid).includes(child.pid));
  assert.deepEqual(childrenOf(child.pid), []);
});
