// Names of a log book's blobs, and their lines. Pure.
//
// Names: `access/2026/01/05/0800/k3m9p0aa-000001.log` has the entries of the writer `k3m9p0aa` from eight to nine, as its first blob of that hour. Names alone show a reader which
// blobs may have entries of a period.
//
// Lines: the time to 100 ns, a space, and the entry as JSON. Times have one length and lines of a blob are in their order, so that a reader finds a time without reading what is before it.

import { toUtf8 } from '../values/bytes.js';
import { Instant, TICKS_OF } from '../values/instant.js';

/** How long a blob is written at most: all begin in UTC. */
export type LogPeriod = 'hour' | 'day';

const DIGITS = 6;

/** A blob, by what its name says. */
export interface LogName {
  readonly period: Instant;
  readonly writer: string;
  /** From 1. */
  readonly number: number;
}

/** The beginning of the period that has the instant. */
export const periodStart = ({ ticks }: Instant, every: LogPeriod): Instant =>
  Instant.fromTicks(ticks - (ticks % TICKS_OF[every]));

export const periodEnd = (start: Instant, every: LogPeriod): Instant =>
  Instant.fromTicks(start.ticks + TICKS_OF[every]);

/** `2026/01/05/`. */
const dayPath = (at: Instant): string => `${at.toString().slice(0, 10).replaceAll('-', '/')}/`;
const hourPath = (at: Instant): string => `${dayPath(at)}${at.toString().slice(11, 13)}00/`;
const pathOf = (at: Instant, every: LogPeriod): string => (every === 'hour' ? hourPath(at) : dayPath(at));

export const nameOfLog = (book: string, every: LogPeriod, { period, writer, number }: LogName): string =>
  `${book}/${pathOf(period, every)}${writer}-${String(number).padStart(DIGITS, '0')}.log`;

const NAME = /^([a-z0-9-]+)\/(\d{4})\/(\d\d)\/(\d\d)\/(?:(\d\d)00\/)?([^/]+)-(\d{6,})\.log$/;

/** Undefined for a name that is no blob of the book. */
export function readLogName(book: string, every: LogPeriod, name: string): LogName | undefined {
  const [, own, year, month, day, hour, writer = '', number] = NAME.exec(name) ?? [];
  if (own !== book || (hour === undefined) !== (every === 'day')) return undefined;
  const period = parsed(`${year}-${month}-${day}T${hour ?? '00'}:00:00Z`);
  return period && { period, writer, number: Number(number) };
}

/** Prefixes of all blobs that may have entries from one instant up to another: of a day, or of one hour. In the order of time. */
export function* prefixesOf(
  book: string,
  every: LogPeriod,
  from: Instant,
  to: Instant,
): Generator<string, void, undefined> {
  for (let day = periodStart(from, 'day'); day.ticks < to.ticks; day = periodEnd(day, 'day')) {
    const first = day.ticks > from.ticks ? day : from;
    const end = periodEnd(day, 'day');
    const last = Instant.fromTicks((to.ticks < end.ticks ? to.ticks : end.ticks) - 1n);
    const isOneHour = periodStart(first, 'hour').ticks === periodStart(last, 'hour').ticks;
    yield `${book}/${every === 'hour' && isOneHour ? hourPath(first) : dayPath(first)}`;
  }
}

/** Characters of a time: `2026-01-05T08:00:00.0000000Z`. */
const TIME_LENGTH = 28;

export const formatLine = (at: Instant, json: string): Uint8Array => toUtf8(`${at} ${json}\n`);

/** A line, without its end. */
export interface LogLine {
  readonly at: Instant;
  readonly json: string;
}

/** Undefined for what is no line. */
export function parseLine(text: string): LogLine | undefined {
  if (text.charAt(TIME_LENGTH) !== ' ') return undefined;
  const at = parsed(text.slice(0, TIME_LENGTH));
  return at && { at, json: text.slice(TIME_LENGTH + 1) };
}

/** Undefined for what is no instant. */
export function parsed(text: string | undefined): Instant | undefined {
  try {
    return text === undefined ? undefined : Instant.parse(text);
  } catch {
    return undefined;
  }
}
