// The machine's own latency, without a server. Scattered pages are written and synced, as a commit of some rows does,
// at a fixed rate: no durable write can have a shorter tail. At the same time a timer measures how late a program runs.
import { closeSync, fdatasync, ftruncateSync, openSync, write } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Latency } from '../load/job.js';
import { Latencies } from '../load/statistics.js';
import { STRIDE } from '../load/template.js';

const PAGE_BYTES = 8192;
const FILE_PAGES = 25_000;
/** As in a commit of some writes to a table of 100,000 rows. */
export const PAGES_A_SYNC = 20;
const SYNCS_A_SECOND = 200;
const TIMER_MILLISECONDS = 1;

export interface Alone {
  /** Latency of writing and syncing. */
  readonly sync: Latency;
  /** By how much a timer of a millisecond was late. */
  readonly timer: Latency;
}

const writePage = promisify(write);
const sync = promisify(fdatasync);

/** Creates a file in the directory, which the caller removes. */
export async function measureAlone(directory: string, milliseconds: number): Promise<Alone> {
  const file = openSync(join(directory, 'disk'), 'w');
  const page = Buffer.alloc(PAGE_BYTES, 1);
  const latencies = new Latencies();
  const late = new Latencies();
  let timer: NodeJS.Timeout | undefined;
  try {
    ftruncateSync(file, FILE_PAGES * PAGE_BYTES);
    for (let at = 0; at < FILE_PAGES; at++) await writePage(file, page, 0, PAGE_BYTES, at * PAGE_BYTES);
    await sync(file);
    let heard = performance.now();
    const until = heard + milliseconds;
    timer = setInterval(() => {
      const now = performance.now();
      late.add(Math.max(0, now - heard - TIMER_MILLISECONDS));
      heard = now;
    }, TIMER_MILLISECONDS);
    let at = 0;
    while (performance.now() < until) {
      const since = performance.now();
      for (let written = 0; written < PAGES_A_SYNC; written++) {
        at = (at + STRIDE) % FILE_PAGES;
        await writePage(file, page, 0, PAGE_BYTES, at * PAGE_BYTES);
      }
      await sync(file);
      latencies.add(performance.now() - since);
      await sleep(Math.max(0, 1000 / SYNCS_A_SECOND - (performance.now() - since)));
    }
  } finally {
    clearInterval(timer);
    closeSync(file);
  }
  return { sync: latencies.summary(), timer: late.summary() };
}
