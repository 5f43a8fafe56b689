// Tables that no other test has, a clock of the program that is set by hand, and pauses that only advance it.
import { Instant } from '#patterns';
import { collect } from '../support/collect.js';
import { type FaultPlan, FaultyClient } from '../support/faulty-client.js';
import type { Peer } from '../support/peers.js';

export const NOON = Instant.parse('2026-01-05T12:00:00Z');
export const MINUTE = 600_000_000n;
export const DAY = 1_440n * MINUTE;
export const time = (text: string): Instant => Instant.parse(text);

let names = 0;

export function rollingWorld(peer: Peer, { plan, now = NOON }: { plan?: FaultPlan; now?: Instant } = {}) {
  const clock = { ticks: now.ticks };
  const requests = new FaultyClient(plan);
  const opened = (httpClient = requests) =>
    peer.open({
      httpClient,
      now: () => Instant.fromTicks(clock.ticks).toDate().getTime(),
      sleep: async milliseconds => {
        clock.ticks += BigInt(milliseconds) * 10_000n;
      },
    });
  const letters = [...`${++names}`].map(digit => String.fromCharCode(97 + Number(digit))).join('');
  const prefix = `Roll${letters}z`;
  /** The names of tables, with what is behind the prefix. */
  const named = (...stamps: string[]): string[] => stamps.map(stamp => `${prefix}${stamp}`);
  return {
    db: opened(),
    opened,
    clock,
    requests,
    set: (text: string): void => {
      clock.ticks = time(text).ticks;
    },
    prefix,
    named,
    tables: async (): Promise<string[]> =>
      (await collect(peer.client().listTables()))
        .flatMap(({ name = '' }) => (name.startsWith(prefix) ? [name] : []))
        .sort(),
  };
}
