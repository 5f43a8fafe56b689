// What the clients of a Queue service have learned from its answers, so that an action, which refers to them, becomes a
// call: the receipts that they hold, and outdated ones.
import type { QueueAction } from '../simulation/plan/step.js';
import { nameIn, type QueueAnswer, type QueueCall, type Receipt } from './call.js';

const RECEIPTS_MAX = 500;

export type CallAction = Exclude<QueueAction, { kind: 'sweep' | 'pass' }>;

interface Known {
  readonly queue: string;
  readonly name: string;
}

export class QueueCaller {
  readonly #held = new Map<string, Receipt>();
  readonly #stale: Receipt[] = [];
  readonly #known = new Map<string, Known>();
  #names = 0;
  /** Messages that were put and not deleted. */
  living = 0;

  newName(): string {
    this.#names += 1;
    return `m${this.#names}`;
  }

  /** Undefined if it refers to nothing. */
  callOf(action: CallAction): QueueCall | undefined {
    const { queue } = action;
    switch (action.kind) {
      case 'put': {
        const { delay, life, length = 0 } = action;
        return { kind: 'put', queue, text: this.#text(this.newName(), length), delay, life };
      }
      case 'delete': {
        const receipt = this.receipt(action);
        return receipt && { kind: 'delete', queue: this.#known.get(receipt.id)?.queue ?? queue, ...receipt };
      }
      case 'update': {
        const receipt = this.receipt(action);
        const known = this.#known.get(receipt?.id ?? '');
        if (!receipt || !known) return undefined;
        const name = `${known.name} changed by ${this.newName()}`;
        const text = action.hasText ? this.#text(name, action.length ?? 0) : undefined;
        return { kind: 'update', queue: known.queue, ...receipt, seconds: action.seconds, text };
      }
      default:
        return action;
    }
  }

  /** Held, or once held. */
  receipt({ pick, isStale }: { readonly pick: number; readonly isStale: boolean }): Receipt | undefined {
    const receipts = isStale ? this.#stale : [...this.#held.values()];
    return receipts[pick % receipts.length];
  }

  learn(call: QueueCall, { code, messages, receipt }: QueueAnswer): void {
    const { queue } = call;
    for (const { id, receipt: told, text } of messages) {
      this.#known.set(id, { queue, name: nameIn(call.kind === 'put' ? call.text : (text ?? '')) });
      if (told !== undefined) this.#tell({ id, receipt: told });
    }
    if (call.kind === 'put' && code === undefined) this.living += 1;
    if (call.kind === 'update' && receipt !== undefined) this.#tell({ id: call.id, receipt });
    if (call.kind === 'delete' && code === undefined) this.living -= 1;
    if (call.kind === 'delete' || (call.kind === 'update' && code !== undefined)) this.#lay(call);
  }

  #text(name: string, length: number): string {
    return `${name} <&> é`.padEnd(length, 'ab');
  }

  #tell(receipt: Receipt): void {
    const before = this.#held.get(receipt.id);
    if (before !== undefined) this.#lay(before);
    this.#held.set(receipt.id, receipt);
  }

  #lay({ id, receipt }: Receipt): void {
    if (this.#held.get(id)?.receipt === receipt) this.#held.delete(id);
    this.#stale.push({ id, receipt });
    if (this.#stale.length > RECEIPTS_MAX) this.#stale.shift();
  }
}
