// Log books: an entry whose append ended is in the log once, and one that was under way when the program ended at most once.

import assert from 'node:assert/strict';
import { z } from 'zod';
import { type Db, Instant } from '#patterns';
import type { LogDurability } from '#patterns/internals';
import { logBook } from '#patterns/logbook';
import type { MatrixCase } from './case.js';
import { crashMatrix } from './matrix.js';

const [FROM, TO] = [Instant.parse('2025-12-31T00:00:00Z'), Instant.parse('2026-01-03T00:00:00Z')];

const logCase = (name: string, durable: LogDurability): MatrixCase => ({
  name: `a log book: ${name}`,
  setUp: async ({ peer, db, newName }) => {
    const container = newName('log');
    await peer.blobs().getContainerClient(container).create();
    const bookOf = (own: Db) => logBook(own, 'access', z.number(), { container, every: 'day', durable });
    const [begun, ended] = [new Set<number>(), new Set<number>()];
    const write = async (own: Db, numbers: readonly number[]): Promise<void> => {
      const book = bookOf(own);
      for (const number of numbers) {
        begun.add(number);
        await book.append(number);
        if (durable === 'each') ended.add(number);
      }
      await book.close();
      for (const number of numbers) ended.add(number);
    };
    return {
      operation: own => write(own, [1, 2, 3]),
      rival: own => write(own, [11, 12]),
      always: async () => {
        const found: number[] = [];
        for await (const { value } of bookOf(db).read(FROM, TO)) found.push(value);
        assert.equal(new Set(found).size, found.length, `Entries are there twice: ${found}`);
        assert(
          [...ended].every(number => found.includes(number)),
          `Of ${[...ended]} there are ${found}.`,
        );
        assert(found.every(number => begun.has(number)));
      },
    };
  },
});

crashMatrix('logbook', [
  logCase('by entry', 'each'),
  logCase('buffered', { milliseconds: 500_000, bytes: 100 }),
]);
