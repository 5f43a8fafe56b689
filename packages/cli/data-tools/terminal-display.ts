// Progress on a terminal: a line that is overwritten, with a bar of the ranges done, rows, rate and retries, and single
// events as lines above it.
import type { Counts, Display, Fields, ToolEvent } from '#data-tools';

const BAR_WIDTH = 24;
const COLUMNS_DEFAULT = 80;
/** To the start of the line, which is erased. */
const CLEAR = '\r\u001b[K';

export class TerminalDisplay implements Display {
  #isShown = false;

  progress({ rows, rate, ranges, rangesDone, retries, reason }: Counts): void {
    const full = Math.floor((BAR_WIDTH * rangesDone) / Math.max(1, ranges));
    const bar = '='.repeat(full).padEnd(BAR_WIDTH, '-');
    const parts = [
      `${bar} ${rangesDone}/${ranges} ranges`,
      `${rows} rows`,
      `${rate}/s`,
      `${retries} retries`,
      ...(reason === undefined ? [] : [reason]),
    ];
    // A line that wraps could not be erased.
    const width = (process.stderr.columns || COLUMNS_DEFAULT) - 1;
    process.stderr.write(CLEAR + parts.join(' | ').slice(0, width));
    this.#isShown = true;
  }

  tell(event: ToolEvent, fields: Fields): void {
    this.close();
    process.stderr.write(`${sentenceOf(event, fields)}\n`);
  }

  close(): void {
    if (this.#isShown) process.stderr.write(CLEAR);
    this.#isShown = false;
  }
}

function sentenceOf(event: ToolEvent, fields: Fields): string {
  const { message, rows, seconds, retries, tables } = fields;
  if (event === 'error') return `shelfmark: ${message}`;
  if (event === 'done') return `Done: ${rows} rows of ${tables} tables in ${seconds} s, ${retries} retries.`;
  if (event === 'note') return String(message);
  return `${event}: ${JSON.stringify(fields)}`;
}
