// A writer of a log tail in a thread of its own, whose clock stands still and then goes back an hour: it gives the row keys of so many entries. log-tail.test.ts starts it.
import { parentPort, workerData } from 'node:worker_threads';
import { codec, entity, key, TickClock, t } from '#patterns';

export const Entry = entity('Entry', {
  version: 1,
  table: 'Entries',
  props: { device: t.string(), at: t.instant(), writer: t.string() },
  partition: p => key(p.device),
  row: p => key(p.at.as(codec.timeDesc), p.writer),
});

/** A writer's parameters. */
export interface WriterTask {
  /** Milliseconds since 1970, at which the clock stands. */
  readonly now: number;
  readonly count: number;
  /** Of so many entries the clock goes back after the first ones. */
  readonly stepAfter: number;
  readonly step: number;
}

/** Keys in the order in which they were made. */
function keysOf({ now, count, stepAfter, step }: WriterTask): readonly string[] {
  let made = 0;
  const clock = new TickClock({ now: () => (made < stepAfter ? now : now + step) });
  return Array.from({ length: count }, () => {
    const text = Entry.plan.row.encode({ at: clock.next(), writer: clock.writer });
    made++;
    return text;
  });
}

parentPort?.postMessage(keysOf(workerData as WriterTask));
