// The order in which things were asked and answered, kept for whoever looks into a failure. A position in it tells before from after;
// where the writes of the server are recorded too, positions are those of that recording.

export class Journal {
  readonly #lines: string[] = [];
  readonly #position: () => number;

  constructor(position?: () => number) {
    this.#position = position ?? (() => this.#lines.length);
  }

  /** Gives its position: what was noted before has a lower one, or the same if nothing was recorded since. */
  note(line: string): number {
    const position = this.#position();
    this.#lines.push(`${position} ${line}`);
    return position;
  }

  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}
