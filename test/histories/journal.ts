// The order of requests and answers, kept to investigate failures. A position in it orders events; where the writes of
// the server are recorded too, the whole part of a position is the length of that recording.

/** Fewer lines than that are between two lengths of a recording. */
const LINES_A_POSITION = 2 ** 20;

export class Journal {
  readonly #lines: string[] = [];
  readonly #length: (() => number) | undefined;

  constructor(length?: () => number) {
    this.#length = length;
  }

  /** Returns its position, which no other note has. */
  note(line: string): number {
    const count = this.#lines.length + 1;
    const position = this.#length === undefined ? count : this.#length() + count / LINES_A_POSITION;
    this.#lines.push(`${position} ${line}`);
    return position;
  }

  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}
