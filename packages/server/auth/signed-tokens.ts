// A cache of valid shared access signatures, so that each is computed once. Bounded: the oldest is evicted.
// Only the signature is cached; times, policies, addresses and rights are checked at every request.
import { type AccountSas, RepeatedParameters, SecretText, type ServiceSas, sasIdentity } from '#wire';

const TOKENS_MAX = 1000;
/** Tokens longer than this are computed each time: remembering them would let a few callers fill the memory. */
const IDENTITY_LENGTH_MAX = 8192;

type Query = ReadonlyMap<string, string>;
type Sas = AccountSas | ServiceSas;

/** Tokens of one service. */
export class SignedTokens {
  /** By all that they say but the signature, which is a secret and is compared as one. */
  readonly #known = new Map<string, Sas>();
  /** Queries are immutable, and one that is sent again and again is parsed once: then even its reading is saved. */
  #byQuery = new WeakMap<Query, { readonly resource: string; readonly sas: Sas }>();

  get size(): number {
    return this.#known.size;
  }

  /** The token in a query to a resource, if it is exactly one that was remembered. */
  find(resource: string, query: Query): Sas | undefined {
    const seen = this.#byQuery.get(query);
    if (seen?.resource === resource) return seen.sas;
    // Its identity is that of a token in which no name is given twice.
    if (query instanceof RepeatedParameters) return undefined;
    const sas = this.#known.get(this.#identityOf(resource, query));
    if (sas === undefined || !isSame(sas.signature, query.get('sig') ?? '')) return undefined;
    this.#byQuery.set(query, { resource, sas });
    return sas;
  }

  /** `sas` is parsed from `query`; `resource` is the rest of what is signed: the account, and the queue if the path names it. */
  remember(resource: string, query: Query, sas: Sas): void {
    const identity = this.#identityOf(resource, query);
    if (identity.length + sas.signature.length > IDENTITY_LENGTH_MAX) return;
    if (this.#known.size >= TOKENS_MAX) {
      const oldest = this.#known.keys().next();
      if (!oldest.done) this.#known.delete(oldest.value);
    }
    this.#known.set(identity, sas);
  }

  /** The length marks where the resource ends, whatever it contains. */
  #identityOf(resource: string, query: Query): string {
    return `${resource.length}:${resource} ${sasIdentity(query)}`;
  }

  /** To be called whenever keys were changed: what held with one that is gone holds no more. */
  forget(): void {
    this.#known.clear();
    this.#byQuery = new WeakMap();
  }
}

const isSame = (known: string, signature: string): boolean =>
  new SecretText(known).isAt(signature, 0, signature.length);
