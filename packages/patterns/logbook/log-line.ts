// A line of a log: the time to 100 ns, a space, and the entry as JSON. Times have one length and lines of a blob are in their order, so that a reader finds a time without reading what is before it. Pure.
import { toUtf8 } from '../values/bytes.js';
import { Instant } from '../values/instant.js';

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
  try {
    return { at: Instant.parse(text.slice(0, TIME_LENGTH)), json: text.slice(TIME_LENGTH + 1) };
  } catch {
    return undefined;
  }
}
