// The clients of a simulated run: each has one call in flight at a time, and beginnings and ends are counted.
import { Breach } from '../../histories/history.js';
import type { Coded, Ledger, Sent } from '../../histories/ledger.js';
import { NOBODY } from '../../histories/trigger.js';
import type { Sender } from '../../support/worker-processes.js';

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

  /** Call before the ledgers are settled: calls in progress end without an answer. */
  crash(): void {
    this.#busy.clear();
  }
}

/** @throws Breach for an answer that no state of the service allows, with what `faults` has found since. */
export async function askOf<Call, Answer extends Coded, H extends Sent<Call, Answer>>(
  ledger: Ledger<Call, Answer, H>,
  sender: Sender,
  call: Call,
  step: number,
  own: { readonly more?: Omit<H, keyof Sent<Call, Answer>>; readonly faults?: () => readonly unknown[] } = {},
): Promise<Answer | undefined> {
  const { more = ledger.wire.more, faults = () => [] } = own;
  const answer = await ledger.ask(sender, call, NOBODY, { step, more });
  // Calls of other steps that end now have their own.
  const fault = ledger.faults.find(each => each.startsWith(`${ledger.wire.name} ${step} `));
  if (fault === undefined) return answer;
  throw new Breach(step, [fault, ...faults().map(textOf)].join('\n'));
}

export const textOf = (error: unknown): string => String(error instanceof Error ? error.stack : error);
