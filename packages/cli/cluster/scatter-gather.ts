// One question to several, and the answers of those that give one in time. Who is gone answers no more.

export class Round<Who, What> {
  readonly #answers = new Map<Who, What>();
  readonly #awaited: Set<Who>;
  readonly #timer: NodeJS.Timeout;
  #end: () => void = () => undefined;
  /** Those that answered, once all have answered, are gone, or had their time. */
  readonly done: Promise<ReadonlyMap<Who, What>>;

  constructor(asked: Iterable<Who>, milliseconds: number) {
    this.#awaited = new Set(asked);
    this.done = new Promise(resolve => {
      this.#end = () => resolve(this.#answers);
    });
    this.#timer = setTimeout(() => this.#end(), milliseconds);
    this.#endIfComplete();
  }

  answer(who: Who, what: What): void {
    if (this.#awaited.delete(who)) this.#answers.set(who, what);
    this.#endIfComplete();
  }

  leave(who: Who): void {
    this.#awaited.delete(who);
    this.#endIfComplete();
  }

  #endIfComplete(): void {
    if (this.#awaited.size > 0) return;
    clearTimeout(this.#timer);
    this.#end();
  }
}
