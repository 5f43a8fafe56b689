// Runs an action at the next request or the next acknowledged write, where a fault is most likely to show: a write that
// was acknowledged too early is not on disk yet, and a requested one is half done.

/** What to do at the next request, or at the next acknowledged write, of any client. */
export interface Watch {
  asked(): void;
  answered(): void;
}

export const NOBODY: Watch = { asked: () => undefined, answered: () => undefined };

export type Occasion = 'asked' | 'answered';

export class Trigger implements Watch {
  /** Acknowledged writes so far. */
  count = 0;
  #armed: { readonly occasion: Occasion; readonly call: () => void } | undefined;

  at(occasion: Occasion, call: () => void): void {
    this.#armed = { occasion, call };
  }

  asked(): void {
    this.#fire('asked');
  }

  answered(): void {
    this.count += 1;
    this.#fire('answered');
  }

  #fire(occasion: Occasion): void {
    if (this.#armed?.occasion !== occasion) return;
    const { call } = this.#armed;
    this.#armed = undefined;
    call();
  }
}
