// Logs as a writer leaves them: random batches and segment changes through the real file, with what was written where,
// and what is on disk before and after one more record.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RowKey } from '../layout/rows.js';
import {
  BLOCK_BYTES,
  CHANGE_HEADER_BYTES,
  LOG_HALVES,
  LOG_NAME,
  RECORD_HEADER_BYTES,
} from '../wal/log-file.js';
import type { LogRecord } from '../wal/read-log.js';
import {
  appendBatch,
  bytesOf,
  createLog,
  type LogBatch,
  type LogChange,
  logBytes,
  recordBytes,
} from './log-batch.js';

export const EPOCH = 7n;
export const FIRST_TICK = 17_000_000_000_000_000n;
export type Random = (below: number) => number;

/** A record and its position. */
export interface Placed {
  readonly record: LogRecord;
  /** How many segment changes came before it. */
  readonly turn: number;
  readonly from: number;
  /** The first byte that its checksum does not cover. */
  readonly until: number;
}

export interface History {
  readonly placed: readonly Placed[];
  /** Segment changes so far; the last one may have no record. */
  readonly turns: number;
  readonly bytes: Buffer;
  /** One more record, which is in `bytesAfter` and not in `bytes`. */
  readonly next: Placed;
  readonly bytesAfter: Buffer;
}

/** Park and Miller's generator. */
function randomFrom(seed: number): Random {
  let state = (seed % 2_147_483_646) + 1;
  return below => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** Runs `check` with seeds from `LOG_SEED` on, or any; a failure names its own and how to repeat it. */
export async function withSeeds(
  count: number,
  check: (random: Random) => void | Promise<void>,
): Promise<void> {
  const given = process.env.LOG_SEED;
  const first = given === undefined ? Math.floor(Math.random() * 1e9) : Number(given);
  for (let seed = first; seed < first + (given === undefined ? count : 1); seed += 1) {
    try {
      await check(randomFrom(seed));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const repeat = `LOG_SEED=${seed} node dist/tools/run-tests.js packages/store-lmdb`;
      throw new Error(`${reason}\nseed ${seed}; repeat with: ${repeat}`, { cause: error });
    }
  }
}

/** The record that a reader should return for a batch. */
export function recordOf(batch: LogBatch, sequence: bigint): LogRecord {
  const changes = batch.changes.map(({ key, bytes }) => ({ key: bytesOf(key), bytes }));
  return { sequence, basis: batch.basis, tick: batch.tick, changes };
}

/** A batch whose record has this many bytes before the zeros that fill its last block. */
export function batchOfBytes(bytes: number, tick = FIRST_TICK): LogBatch {
  const key: RowKey = [1, 'p', 'k'];
  const value = bytes - RECORD_HEADER_BYTES - CHANGE_HEADER_BYTES - bytesOf(key).length;
  return { basis: tick - 1n, tick, changes: [{ key, bytes: Buffer.alloc(value, 0xa5) }] };
}

const TEXTS = ['', 'p', 'key', 'é€', '\u0000\u0001', '\ud83d\ude00', '\ud800', 'x'.repeat(900)];

export function someChange(random: Random): LogChange {
  const text = (): string => TEXTS[random(TEXTS.length)] ?? '';
  const key: RowKey = [random(2 ** 31), text(), text()];
  if (random(5) === 0) return { key, bytes: undefined };
  const length = 8 + (random(12) === 0 ? random(20_000) : random(1_500));
  return { key, bytes: Buffer.from(Array.from({ length }, () => random(256))) };
}

export function someBatch(random: Random, basis: bigint): LogBatch {
  const changes = Array.from({ length: random(8) + 1 }, () => someChange(random));
  return { basis, tick: basis + BigInt(random(1000) + 1), changes };
}

export async function writeHistory(
  directory: string,
  random: Random,
  { mayTurn = true }: { readonly mayTurn?: boolean } = {},
): Promise<History> {
  const log = await createLog(directory, EPOCH);
  const path = join(directory, LOG_NAME);
  const placed: Placed[] = [];
  let turns = 0;
  let position = LOG_HALVES[0].from;
  let tick = FIRST_TICK;
  const append = async (): Promise<Placed> => {
    const batch = someBatch(random, tick);
    const record = recordOf(batch, BigInt(placed.length + 1));
    await appendBatch(log, batch);
    const from = position;
    position += logBytes(batch.changes);
    tick = batch.tick;
    return { record, turn: turns, from, until: from + recordBytes(batch.changes) };
  };
  const turn = (): void => {
    if (placed.at(-1)?.turn !== turns) return;
    log.turn();
    turns += 1;
    position = LOG_HALVES[turns % 2 === 0 ? 0 : 1].from;
  };
  for (let left = random(25); left > 0; left -= 1) {
    placed.push(await append());
    if (mayTurn && random(6) === 0) turn();
  }
  const bytes = readFileSync(path);
  const next = await append();
  log.close();
  const bytesAfter = readFileSync(path);
  assert.equal(next.from % BLOCK_BYTES, 0);
  return {
    placed,
    turns,
    bytes,
    next,
    bytesAfter,
  };
}
