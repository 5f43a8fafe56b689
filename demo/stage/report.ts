// Formats the demo's output for a terminal of 100 columns.
import type { Exchange } from './wire-log.js';

const WIDTH = 100;
const INDENT = 4;
/** The width of a label with the blanks after it. */
const LABEL = 14;
const TEXT = WIDTH - INDENT - LABEL;

const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 8 });

export const formatNumber = (value: number | bigint): string => NUMBER.format(value);

export const formatDuration = (ms: number): string =>
  ms < 1000 ? `${ms.toFixed(ms < 100 ? 1 : 0)} ms` : `${(ms / 1000).toFixed(2)} s`;

/** Decimal units; small amounts to the byte. */
export const formatBytes = (bytes: number): string => {
  if (bytes < 10_000) return `${formatNumber(bytes)} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1e3).toFixed(0)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
};

/** `1 row`, `2 rows`. */
export const count = (amount: number, one: string, many = `${one}s`): string =>
  `${formatNumber(amount)} ${amount === 1 ? one : many}`;

/** Lines of at most `width`; a word is cut only if it is longer than that. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
    while (line.length > width) {
      lines.push(line.slice(0, width));
      line = line.slice(width);
    }
  }
  return [...lines, line];
}

/** A URL has no blanks; it breaks before an `&`, or else after a comma or an encoded blank not too far from the edge. */
function wrapUrl(url: string, width: number): string[] {
  const lines: string[] = [];
  let rest = url;
  while (rest.length > width) {
    const ampersand = rest.lastIndexOf('&', width);
    const blank = rest.lastIndexOf('%20', width - 3) + 3;
    const comma = rest.lastIndexOf(',', width - 1) + 1;
    const soft = Math.max(blank, comma);
    const at = ampersand > 0 ? ampersand : soft > width / 2 ? soft : width;
    lines.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  return [...lines, rest];
}

const sum = (exchanges: readonly Exchange[], of: 'bytes' | 'ms'): number =>
  exchanges.reduce((total, exchange) => total + exchange[of], 0);

export class Report {
  readonly #write: (line: string) => void;
  #chapters = 0;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  title(title: string): void {
    this.#write(title);
    this.#write('='.repeat(title.length));
  }

  /** A numbered heading over a rule, with a remark at the right edge. */
  chapter(heading: string, remark: string): void {
    this.#chapters += 1;
    const left = `${this.#chapters}`.padStart(2).padEnd(INDENT) + heading;
    this.#write('');
    this.#write(left + remark.padStart(WIDTH - left.length));
    this.#write('-'.repeat(WIDTH));
  }

  /** A paragraph from edge to edge. */
  say(text: string): void {
    for (const line of wrap(text, WIDTH)) this.#write(line);
  }

  fact(label: string, text: string): void {
    this.#lines(label, wrap(text, TEXT));
  }

  /** The method and URL of a request, without its origin, which is the same for all; and its condition. */
  sent({ method, url, ifMatch }: Exchange): void {
    const { origin } = new URL(url);
    this.#lines('sent', wrapUrl(`${method} ${url.slice(origin.length)}`, TEXT));
    if (ifMatch !== undefined) this.fact('If-Match', ifMatch);
  }

  /** The cost of a call: status, result, requests, bytes of the bodies, time on the wire. */
  served(exchanges: readonly Exchange[], returned: string, label = 'served'): void {
    const statuses = [...new Set(exchanges.map(({ status }) => status))].join(', ');
    const parts = [
      statuses,
      returned,
      count(exchanges.length, 'request'),
      formatBytes(sum(exchanges, 'bytes')),
      formatDuration(sum(exchanges, 'ms')),
    ];
    this.fact(label, parts.join(' | '));
  }

  /** Columns as wide as their widest cell; numbers to the right. */
  rows(rows: readonly (readonly (string | number | bigint)[])[]): void {
    const widths: number[] = [];
    for (const row of rows) {
      for (const [index, cell] of row.entries()) {
        widths[index] = Math.max(widths[index] ?? 0, this.#cell(cell).length);
      }
    }
    for (const row of rows) {
      const cells = row.map((cell, index) => {
        const width = widths[index] ?? 0;
        return typeof cell === 'string' ? cell.padEnd(width) : this.#cell(cell).padStart(width);
      });
      this.#write(`${' '.repeat(INDENT + LABEL)}${cells.join('  ')}`.trimEnd());
    }
  }

  #cell(cell: string | number | bigint): string {
    return typeof cell === 'string' ? cell : formatNumber(cell);
  }

  #lines(label: string, lines: readonly string[]): void {
    for (const [index, line] of lines.entries()) {
      this.#write(`${' '.repeat(INDENT)}${(index === 0 ? label : '').padEnd(LABEL)}${line}`.trimEnd());
    }
  }
}
