// The possible contents of a file after a power cut: at most the written bytes, at least the synced ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawFrom } from '../random/arbitrary.js';
import { Disk } from './disk.js';
import type { Mood } from './file-content.js';
import type { Record } from './recording.js';

const ROOT = 1n;
const FILE = 2n;
const SECTOR = 512;

const record = (kind: Record['kind'], fields: Partial<Record> = {}): Record => ({
  kind,
  inode: FILE,
  a: 0,
  b: 0,
  token: 0n,
  text: '',
  data: Buffer.alloc(0),
  end: 0,
  ...fields,
});
const bytes = (letter: string, sectors: number): Buffer => Buffer.alloc(sectors * SECTOR, letter);
const write = (data: Buffer, a: number, token: bigint): Record => record('write', { data, a, token });
const written = (data: Buffer, token: bigint, b = 0): Record =>
  record('written', { a: data.length, b, token });
const sync = (inode: bigint, token: bigint): Record[] => [
  record('sync', { inode, token }),
  record('synced', { inode, token }),
];
const created = record('created', { text: 'f' });

function diskAfter(records: readonly Record[]): Disk {
  const disk = new Disk(ROOT);
  for (const one of records) disk.add(one);
  return disk;
}

/** The files that many cuts leave, as texts with a letter for each sector. */
function left(records: readonly Record[], mood: Mood): Set<string> {
  const disk = diskAfter(records);
  const draw = drawFrom(1);
  const found = new Set<string>();
  for (let cut = 0; cut < 400; cut += 1) {
    const content = disk.cut(mood, draw).get('f');
    if (content === undefined) found.add('gone');
    else {
      const sectors = Array.from({ length: content.length / SECTOR }, (_, index) =>
        content.subarray(index * SECTOR, (index + 1) * SECTOR),
      );
      for (const sector of sectors)
        assert(
          sector.every(byte => byte === sector[0]),
          'A sector is torn.',
        );
      found.add(sectors.map(sector => (sector[0] ? String.fromCharCode(sector[0]) : '0')).join(''));
    }
  }
  return found;
}

test('what was not synced is there, is not, or is there in part', () => {
  const [old, fresh] = [bytes('a', 2), bytes('b', 2)];
  const base = [created, ...sync(ROOT, 1n), write(old, 0, 2n), written(old, 2n), ...sync(FILE, 3n)];
  const records = [...base, write(fresh, SECTOR, 4n)];
  assert.deepEqual(left(records, 'all'), new Set(['aa']));
  assert.deepEqual(left(records, 'none'), new Set(['abb']));
  assert.deepEqual(left(records, 'some'), new Set(['aa', 'abb', 'ab', 'aab', 'aa0']));
  assert.deepEqual(left([...records, written(fresh, 4n), ...sync(FILE, 5n)], 'some'), new Set(['abb']));
  assert.deepEqual(left([...records, written(fresh, 4n, 1)], 'all'), new Set(['abb']), 'synchronous');
});

test('a sync covers what had completed when it began, and only once it completes itself', () => {
  const data = bytes('a', 1);
  const base = [created, ...sync(ROOT, 1n), write(data, 0, 2n)];
  assert.deepEqual(left([...base, ...sync(FILE, 3n), written(data, 2n)], 'all'), new Set(['']));
  assert.deepEqual(left([...base, written(data, 2n), record('sync', { token: 3n })], 'all'), new Set(['']));
});

test('a write that never completed is replaced by what was synced in its place since', () => {
  const [lost, newer] = [bytes('a', 3), bytes('b', 1)];
  const base = [created, ...sync(ROOT, 1n), write(lost, 0, 2n)];
  const records = [...base, write(newer, SECTOR, 3n), written(newer, 3n), ...sync(FILE, 4n)];
  assert.deepEqual(left(records, 'all'), new Set(['0b']));
  assert.deepEqual(left(records, 'none'), new Set(['aba']));
});

test('a name is durable once its directory is synced, and names change in order', () => {
  const data = bytes('a', 1);
  const content = [write(data, 0, 2n), written(data, 2n), ...sync(FILE, 3n)];
  assert.deepEqual(left([created, ...content], 'all'), new Set(['gone']));
  assert.deepEqual(left([created, ...content], 'some'), new Set(['gone', 'a']));
  const moved = record('renamed', { text: 'f', data: Buffer.from('g') });
  const disk = diskAfter([created, ...content, ...sync(ROOT, 4n), moved]);
  const draw = drawFrom(1);
  for (let cut = 0; cut < 50; cut += 1) assert.equal(disk.cut('some', draw).size, 1, 'It has one name.');
  assert.deepEqual([...disk.cut('none', draw).keys()], ['g']);
});

test('a directory that was not synced is lost with everything in it', () => {
  const directory = record('made directory', { inode: 3n, text: 'd' });
  const inside = record('created', { text: 'd/f' });
  assert.deepEqual(
    [
      ...diskAfter([directory, inside, ...sync(3n, 1n)])
        .cut('all', drawFrom(1))
        .keys(),
    ],
    [],
  );
  const records = [directory, inside, ...sync(3n, 1n), ...sync(ROOT, 2n)];
  assert.deepEqual([...diskAfter(records).cut('all', drawFrom(1)).keys()], ['d/f']);
});

test('a lost sync makes nothing certain', () => {
  const data = bytes('a', 1);
  const records = [created, ...sync(ROOT, 1n), write(data, 0, 2n), written(data, 2n), ...sync(FILE, 3n)];
  const disk = new Disk(ROOT, ({ kind }, path) => kind === 'synced' && path === 'f');
  for (const one of records) disk.add(one);
  assert.equal(disk.cut('all', drawFrom(1)).get('f')?.length, 0);
});

test('a reused inode is another file', () => {
  const data = bytes('a', 1);
  const content = [write(data, 0, 2n), written(data, 2n), ...sync(FILE, 3n), ...sync(ROOT, 4n)];
  const other = [record('unlinked', { text: 'f' }), record('created', { text: 'g' })];
  const disk = diskAfter([created, ...content, ...other, ...sync(FILE, 5n)]);
  assert.deepEqual([...disk.cut('all', drawFrom(1))], [['f', data]]);
  assert.deepEqual([...disk.cut('none', drawFrom(1))], [['g', Buffer.alloc(0)]]);
});

test('a planted loss of syncs gets the path by which a file was created', () => {
  const seen: string[] = [];
  const disk = new Disk(ROOT, ({ kind }, path) => {
    seen.push(`${kind} ${path}`);
    return false;
  });
  const directory = record('made directory', { inode: 3n, text: 'd' });
  for (const one of [created, directory, ...sync(FILE, 1n), ...sync(3n, 2n), ...sync(ROOT, 3n)])
    disk.add(one);
  assert.deepEqual(seen, ['synced f', 'synced d', 'synced .']);
});
