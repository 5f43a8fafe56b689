// How long clients wait: the longest time without any acknowledged write, and the longest time that one call waited for its answer.

export interface Waits {
  /** Acknowledged writes. */
  readonly writes: number;
  readonly unclear: number;
  /** Milliseconds. */
  readonly gap: number;
  readonly longest: number;
}

export class Pace {
  #writes = 0;
  #unclear = 0;
  #gap = 0;
  #longest = 0;
  #last = performance.now();
  readonly #underWay = new Set<number>();

  /** Of one call: to be called with whether it was an acknowledged write, or got no answer. */
  begin(): (outcome: 'write' | 'read' | 'unclear') => void {
    const began = performance.now();
    this.#underWay.add(began);
    return outcome => {
      const now = performance.now();
      this.#underWay.delete(began);
      this.#longest = Math.max(this.#longest, now - began);
      if (outcome === 'unclear') this.#unclear += 1;
      if (outcome !== 'write') return;
      this.#writes += 1;
      this.#gap = Math.max(this.#gap, now - this.#last);
      this.#last = now;
    };
  }

  /** Since it was asked for last; what is under way has waited until now. */
  take(): Waits {
    const now = performance.now();
    const waits: Waits = {
      writes: this.#writes,
      unclear: this.#unclear,
      gap: Math.max(this.#gap, now - this.#last),
      longest: Math.max(this.#longest, ...[...this.#underWay].map(began => now - began)),
    };
    this.#writes = 0;
    this.#unclear = 0;
    this.#gap = 0;
    this.#longest = 0;
    this.#last = now;
    return waits;
  }
}
