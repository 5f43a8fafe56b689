// The clients of a simulated run: each has one call in flight at a time, and beginnings and ends are counted.
import { Breach, type Happening } from '../../histories/history.js';

/** An answer that has not arrived after these never will. In steps: no time passes while this process is stopped. */
const PATIENCE_STEPS = 1_200;
const PATIENCE_STEP_MS = 100;

export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await new Promise(resolve => setImmediate(resolve));
}

export async function patiently<T>(waited: Promise<T>, step: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    let left = PATIENCE_STEPS;
    timer = setInterval(() => {
      left -= 1;
      if (left === 0) reject(new Breach(step, 'There was no answer.'));
    }, PATIENCE_STEP_MS);
  });
  try {
    return await Promise.race([waited, late]);
  } finally {
    clearInterval(timer);
  }
}

export class Clients {
  /** Grows with each crash; requests sent before one get no answer. */
  epoch = 0;
  #time = 0;
  readonly #busy = new Map<number, Promise<unknown>>();

  tick(): number {
    this.#time += 1;
    return this.#time;
  }

  get calls(): readonly Promise<unknown>[] {
    return [...this.#busy.values()];
  }

  /** Code that awaits the client, or all of them, sees the error. */
  follow(client: number, finished: Promise<unknown>): void {
    finished.catch(() => undefined);
    this.#busy.set(client, finished);
  }

  /** Resolves once the client has its answer. */
  idle(client: number, step: number): Promise<unknown> {
    return patiently(this.#busy.get(client) ?? Promise.resolve(), step);
  }

  async settle(step: number): Promise<void> {
    for (const call of this.calls) await patiently(call, step);
  }

  /** Calls in progress end without an answer. */
  crash(history: readonly Pick<Happening<unknown, unknown>, 'answered'>[] = []): void {
    this.epoch += 1;
    for (const happening of history)
      if (happening.answered === Number.POSITIVE_INFINITY) happening.answered = this.tick();
    this.#busy.clear();
  }
}
