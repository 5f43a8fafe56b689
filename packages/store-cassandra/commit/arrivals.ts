// Waits for commits that are about to arrive.

export class Arrivals {
  #look: (() => void) | undefined;

  /** One has arrived. */
  note(): void {
    this.#look?.();
  }

  /** Resolves once it is true after an arrival, at the latest after that time. One waits at a time. */
  async until(isEnough: () => boolean, milliseconds: number): Promise<void> {
    if (isEnough()) return;
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, milliseconds);
      this.#look = () => {
        if (!isEnough()) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#look = undefined;
  }
}
