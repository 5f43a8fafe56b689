// A sentinel as a process of its own: sleeps again and again, and reports to its parent whenever it woke late. It must
// be able to run at that moment whatever else does, so its parent sets its priority.
import { machineNow } from './machine-clock.js';
import type { Told } from './sentinel.js';
import type { Span } from './span.js';

/**
 * One wakening costs 40 to 80 microseconds on a virtual machine whose processors are busy, in C as in Node: sleeps of a millisecond would
 * take 4 % of a processor away from what is measured.
 */
const SLEEP_MILLISECONDS = 5;
const LATE_MILLISECONDS_MIN = 2;
/** Until messages are looked for. */
const SLEEPS_A_TURN = 10;

/** Nothing wakes it. */
const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
let heard = machineNow();
let isAsked = false;
let start: { readonly at: number; readonly used: NodeJS.CpuUsage } | undefined;

function sleepOften(): readonly Span[] {
  const pauses: Span[] = [];
  for (let slept = 0; slept < SLEEPS_A_TURN; slept++) {
    Atomics.wait(cell, 0, 0, SLEEP_MILLISECONDS);
    const now = machineNow();
    const due = heard + SLEEP_MILLISECONDS;
    if (now - due >= LATE_MILLISECONDS_MIN) pauses.push({ from: due, until: now });
    heard = now;
  }
  return pauses;
}

/** The share of a processor since the first turn. */
function cost(): number {
  if (start === undefined) return Number.NaN;
  const { user, system } = process.cpuUsage(start.used);
  return (user + system) / 1000 / (machineNow() - start.at);
}

function tell(told: Told, then = (): void => {}): void {
  process.send?.(told, then);
}

function turn(): void {
  const pauses = sleepOften();
  if (isAsked) {
    tell({ pauses, cost: cost() }, () => process.disconnect());
    return;
  }
  // The first message reports that it sleeps, whether or not there was a pause.
  if (pauses.length > 0 || start === undefined) tell({ pauses });
  start ??= { at: machineNow(), used: process.cpuUsage() };
  setImmediate(turn);
}

process.once('message', () => {
  isAsked = true;
});
// Also if the parent was killed.
process.once('disconnect', () => process.exit());
turn();
