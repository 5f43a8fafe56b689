// A tool's progress on stderr: on a terminal a bar with rows, rate, ranges done and retries; otherwise JSON lines `{
// event: progress | conflict | refused | note | done | error, … }`. The last one is `done` with rows, seconds, retries
// and tables, or `error` with code and message. stdout has only the result. A tool counts with `rows`, `range` and
// `retry` and reports single events with `tell`; the command's runner calls `done` or `error` once.

export type ToolEvent = 'progress' | 'conflict' | 'refused' | 'note' | 'done' | 'error';

export type Fields = Readonly<Record<string, unknown>>;

/** The output of a reporter: a bar or lines. */
export interface Display {
  progress(counts: Counts): void;
  tell(event: ToolEvent, fields: Fields): void;
  close(): void;
}

export interface Counts {
  readonly rows: number;
  /** Rows a second since the start. */
  readonly rate: number;
  readonly rangesDone: number;
  readonly ranges: number;
  readonly retries: number;
  readonly seconds: number;
  /** The reason for the last retry since the previous progress event. */
  readonly reason?: string | undefined;
}

const PROGRESS_MILLISECONDS = 1000;

export class Reporter {
  readonly #display: Display;
  readonly #startedAt = performance.now();
  #toldAt = this.#startedAt;
  #rows = 0;
  #retries = 0;
  #ranges = 0;
  #rangesDone = 0;
  #reason: string | undefined;
  #isEnded = false;

  constructor(display: Display) {
    this.#display = display;
  }

  /** This many more rows are done. */
  rows(count: number): void {
    this.#rows += count;
    this.#tick();
  }

  #tick(): void {
    const now = performance.now();
    if (this.#isEnded || now - this.#toldAt < PROGRESS_MILLISECONDS) return;
    this.#toldAt = now;
    this.#display.progress({ ...this.#counts(), reason: this.#reason });
    this.#reason = undefined;
  }

  /** A request is sent again, for this reason. */
  retry(reason: string): void {
    this.#retries++;
    this.#reason = reason;
    this.#tick();
  }

  /** A key range begins, or ends. */
  range(what: 'begins' | 'done'): void {
    if (what === 'begins') this.#ranges++;
    else this.#rangesDone++;
  }

  /** One event for the user, such as a row in conflict. */
  tell(event: ToolEvent, fields: Fields): void {
    if (!this.#isEnded) this.#display.tell(event, fields);
  }

  done(fields: Fields & { readonly tables: number }): void {
    const { rows, seconds, retries } = this.#counts();
    this.#end('done', { rows, seconds, retries, ...fields });
  }

  error(code: number, message: string): void {
    this.#end('error', { code, message });
  }

  /** Nothing is reported after it: requests in progress may fail for the same reason. */
  #end(event: 'done' | 'error', fields: Fields): void {
    this.tell(event, fields);
    this.#isEnded = true;
    this.#display.close();
  }

  #counts(): Counts {
    const seconds = Math.round(performance.now() - this.#startedAt) / 1000;
    return {
      rows: this.#rows,
      rate: seconds === 0 ? 0 : Math.round(this.#rows / seconds),
      rangesDone: this.#rangesDone,
      ranges: this.#ranges,
      retries: this.#retries,
      seconds,
    };
  }
}

/** JSON lines, for anything other than a terminal. */
export class JsonDisplay implements Display {
  readonly #write: (text: string) => void;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  progress(counts: Counts): void {
    this.tell('progress', { ...counts });
  }

  tell(event: ToolEvent, fields: Fields): void {
    this.#write(`${JSON.stringify({ event, ...fields })}\n`);
  }

  close(): void {}
}
