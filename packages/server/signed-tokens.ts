// Shared access signatures that were found to hold, so that each is computed once. Bounded: the oldest makes room.
// Only the signature is remembered; times, policies, addresses and rights are asked at every request.
import type { AccountSas, TableSas } from '#wire';

const TOKENS_MAX = 1000;
/** Tokens longer than this are computed each time: remembering them would let a few callers fill the memory. */
const IDENTITY_LENGTH_MAX = 8192;

export class SignedTokens {
  readonly #known = new Map<string, AccountSas | TableSas>();

  get size(): number {
    return this.#known.size;
  }

  get(identity: string): AccountSas | TableSas | undefined {
    return this.#known.get(identity);
  }

  set(identity: string, sas: AccountSas | TableSas): void {
    if (identity.length > IDENTITY_LENGTH_MAX) return;
    if (this.#known.size >= TOKENS_MAX) {
      const oldest = this.#known.keys().next();
      if (!oldest.done) this.#known.delete(oldest.value);
    }
    this.#known.set(identity, sas);
  }
}
