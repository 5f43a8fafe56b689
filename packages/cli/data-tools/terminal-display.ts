// Progress on a terminal: a line that is overwritten, with rows, rate, ranges done and retries, and single events as
// lines above it.
import { SingleBar } from 'cli-progress';
import type { Counts, Display, Fields, ToolEvent } from '#data-tools';

const FORMAT = '{bar} {value}/{total} ranges | {rows} rows | {rate}/s | {retries} retries{reason}';

export class TerminalDisplay implements Display {
  readonly #bar = new SingleBar({
    format: FORMAT,
    barsize: 24,
    hideCursor: true,
    clearOnComplete: true,
    stream: process.stderr,
    gracefulExit: false,
  });
  #isShown = false;

  progress({ rows, rate, ranges, rangesDone, retries, reason }: Counts): void {
    const fields = { rows, rate, retries, reason: reason === undefined ? '' : ` | ${reason}` };
    if (!this.#isShown) {
      this.#bar.start(ranges, rangesDone, fields);
      this.#isShown = true;
    }
    this.#bar.setTotal(ranges);
    this.#bar.update(rangesDone, fields);
  }

  tell(event: ToolEvent, fields: Fields): void {
    this.close();
    process.stderr.write(`${sentenceOf(event, fields)}\n`);
  }

  close(): void {
    if (this.#isShown) this.#bar.stop();
    this.#isShown = false;
  }
}

function sentenceOf(event: ToolEvent, fields: Fields): string {
  const { message, rows, seconds, retries, tables } = fields;
  if (event === 'error') return `shelfmark: ${message}`;
  if (event === 'done') return `Done: ${rows} rows of ${tables} tables in ${seconds} s, ${retries} retries.`;
  if (event === 'note') return String(message);
  const { event: _, ...rest } = fields;
  return `${event}: ${JSON.stringify(rest)}`;
}
