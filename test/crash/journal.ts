// The order of requests and answers, kept to investigate failures. A position in it orders events;
// where the writes of the server are recorded too, positions are those of that recording.

export class Journal {
  readonly #lines: string[] = [];
  readonly #position: () => number;

  constructor(position?: () => number) {
    this.#position = position ?? (() => this.#lines.length);
  }

  /** Returns its position: earlier notes have a lower one, or the same if nothing was recorded since. */
  note(line: string): number {
    const position = this.#position();
    this.#lines.push(`${position} ${line}`);
    return position;
  }

  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}
