// Scatter-gather: collects the answers of several processes to one request, up to a time limit. The caller sends the request.

export class ScatterGather<Target, Answer> {
  readonly #answers = new Map<Target, Answer>();
  readonly #awaited: Set<Target>;
  readonly #timer: NodeJS.Timeout;
  #end: () => void = () => undefined;
  /** The answers, once every target has answered or left, or the time is over. */
  readonly done: Promise<ReadonlyMap<Target, Answer>>;

  constructor(targets: Iterable<Target>, milliseconds: number) {
    this.#awaited = new Set(targets);
    this.done = new Promise(resolve => {
      this.#end = () => resolve(this.#answers);
    });
    this.#timer = setTimeout(() => this.#end(), milliseconds);
    this.#endIfComplete();
  }

  answer(target: Target, answer: Answer): void {
    if (this.#awaited.delete(target)) this.#answers.set(target, answer);
    this.#endIfComplete();
  }

  leave(target: Target): void {
    this.#awaited.delete(target);
    this.#endIfComplete();
  }

  #endIfComplete(): void {
    if (this.#awaited.size > 0) return;
    clearTimeout(this.#timer);
    this.#end();
  }
}
