// Log books: an entry whose append ended is in the log once, and one that was under way when the program ended at most once.

import assert from 'node:assert/strict';
import { z } from 'zod';
import { type Db, Instant } from '#patterns';
import type { LogDurability } from '#patterns/internals';
import { logBook } from '#patterns/logbook';
import { type Ground, type MatrixCase, matrixCase } from './case.js';
import { crashMatrix } from './matrix.js';

interface World {
  readonly container: string;
  readonly durable: LogDurability;
  readonly begun: number[];
  readonly ended: number[];
}

const bookOf = (db: Db, { container, durable }: World) =>
  logBook(db, 'access', z.number(), { container, every: 'day', durable });

const write = async (db: Db, world: World, numbers: readonly number[]): Promise<void> => {
  const book = bookOf(db, world);
  const isEach = world.durable === 'each';
  for (const number of numbers) {
    world.begun.push(number);
    await book.append(number);
    if (isEach) world.ended.push(number);
  }
  await book.close();
  if (!isEach) world.ended.push(...numbers);
};

async function assertOnce(world: World, { db }: Ground): Promise<void> {
  const found: number[] = [];
  const [from, to] = [Instant.parse('2025-12-31T00:00:00Z'), Instant.parse('2026-01-03T00:00:00Z')];
  for await (const { value } of bookOf(db, world).read(from, to)) found.push(value);
  assert.equal(new Set(found).size, found.length, `Entries are there twice: ${found}`);
  assert.deepEqual(
    world.ended.filter(number => !found.includes(number)),
    [],
  );
  assert(found.every(number => world.begun.includes(number)));
}

const logCase = (name: string, durable: LogDurability): MatrixCase =>
  matrixCase<World>({
    name: `a log book: ${name}`,
    setUp: async ({ peer, newName }) => {
      const container = newName('log');
      await peer.blobs().getContainerClient(container).create();
      return { container, durable, begun: [], ended: [] };
    },
    operation: (world, db) => write(db, world, [1, 2, 3]),
    rival: (world, db) => write(db, world, [11, 12]),
    always: assertOnce,
    finally: assertOnce,
  });

crashMatrix('logbook', [
  logCase('by entry', 'each'),
  logCase('buffered', { milliseconds: 500_000, bytes: 100 }),
]);
