// Hosts that do not answer, and keep their connections: a machine that stands still, or whose cable is pulled. Each
// host is asked for a row of its own twice a second. Late ones are asked last, and a request that waits for a host when
// it becomes late stops waiting. The session decides what to do then.
import cassandra from 'cassandra-driver';

const { policies, types } = cassandra;

const PROBE = 'SELECT key FROM system.local';
const PROBE_EVERY_MS = 500;
/** Together with the time between two probes, the delay that a stalled host causes. */
const PROBE_MS = 750;

/** The request may have been carried out, or still be carried out. */
export class Suspected extends Error {}

interface Waiting {
  /** The host that was asked last. */
  host: string | undefined;
  readonly giveUp: (error: Suspected) => void;
}

type Plan = Iterator<cassandra.Host>;

export class SuspectsLast extends policies.loadBalancing.LoadBalancingPolicy {
  readonly #inner: cassandra.policies.loadBalancing.LoadBalancingPolicy;
  readonly #suspects = new Set<string>();
  readonly #probed = new Set<string>();
  /** By the options that a request is sent with. */
  readonly #waiting = new Map<object, Waiting>();
  #hosts: cassandra.HostMap | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(inner: cassandra.policies.loadBalancing.LoadBalancingPolicy) {
    super();
    this.#inner = inner;
  }

  override init(client: cassandra.Client, hosts: cassandra.HostMap, callback: cassandra.EmptyCallback): void {
    this.#hosts = hosts;
    this.#inner.init(client, hosts, callback);
  }

  override getDistance(host: cassandra.Host): cassandra.types.distance {
    return this.#inner.getDistance(host);
  }

  override newQueryPlan(
    keyspace: string,
    options: cassandra.ExecutionOptions | null,
    callback: (error: Error, plan: Plan) => void,
  ): void {
    // Statements are prepared without options; the driver's own policies accept that too.
    this.#inner.newQueryPlan(keyspace, options as cassandra.ExecutionOptions, (error, plan) => {
      if (error) callback(error, plan);
      else callback(error, this.#inOrder(plan, options?.getRawQueryOptions()));
    });
  }

  begin(client: cassandra.Client): void {
    const probe = (): void => {
      const hosts = client.hosts.values().filter(host => this.getDistance(host) !== types.distance.ignored);
      if (hosts.length > 1) for (const host of hosts) if (host.isUp()) void this.#probe(client, host);
    };
    this.#timer = setInterval(probe, PROBE_EVERY_MS).unref();
  }

  end(): void {
    clearInterval(this.#timer);
  }

  isSuspect({ address }: cassandra.Host): boolean {
    return this.#suspects.has(address);
  }

  /**
   * Rejects with `Suspected` when the host that was asked becomes late, and another is not. No two requests have the
   * same `options`.
   */
  send<T>(options: object, answer: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(options, { host: undefined, giveUp: reject });
      const end = (): boolean => this.#waiting.delete(options);
      answer().finally(end).then(resolve, reject);
    });
  }

  /**
   * The driver replaces hosts when it had no connection at all, and its plans go on naming the old ones, which are down
   * for ever: each is looked up by its address, and those without a name in the plan come last.
   */
  *#inOrder(plan: Plan, options: object | undefined): Generator<cassandra.Host, undefined> {
    const waiting = options && this.#waiting.get(options);
    const seen: string[] = [];
    const late: cassandra.Host[] = [];
    for (const named of this.#named(plan, seen)) {
      const host = this.#hosts?.get(named.address) ?? named;
      seen.push(host.address);
      if (this.isSuspect(host)) {
        late.push(host);
        continue;
      }
      if (waiting) waiting.host = host.address;
      yield host;
    }
    // No host is better: waits to the end.
    if (waiting) waiting.host = undefined;
    yield* late;
    return undefined;
  }

  *#named(plan: Plan, seen: readonly string[]): Generator<cassandra.Host, undefined> {
    for (let item = plan.next(); !item.done; item = plan.next()) yield item.value;
    for (const host of this.#hosts?.values() ?? [])
      if (!seen.includes(host.address) && this.getDistance(host) !== types.distance.ignored) yield host;
    return undefined;
  }

  async #probe(client: cassandra.Client, host: cassandra.Host): Promise<void> {
    if (this.#probed.has(host.address)) return;
    this.#probed.add(host.address);
    try {
      await client.execute(PROBE, [], { host, readTimeout: PROBE_MS, consistency: types.consistencies.one });
      this.#suspects.delete(host.address);
    } catch {
      this.#suspect(client, host);
    } finally {
      this.#probed.delete(host.address);
    }
  }

  #suspect(client: cassandra.Client, host: cassandra.Host): void {
    if (this.isSuspect(host)) return;
    this.#suspects.add(host.address);
    if (!client.hosts.values().some(other => other.isUp() && !this.isSuspect(other))) return;
    for (const { host: asked, giveUp } of this.#waiting.values())
      if (asked === host.address) giveUp(new Suspected(`${host.address} does not answer.`));
  }
}

/**
 * Tries the next host when a connection broke or an answer did not arrive: the driver uses this policy only for
 * statements that may be repeated.
 */
export class NextHost extends policies.retry.FallthroughRetryPolicy {
  override onRequestError(
    { nbRetry }: cassandra.policies.retry.OperationInfo,
    consistency: cassandra.types.consistencies,
  ): cassandra.policies.retry.DecisionInfo {
    return nbRetry < RETRIES ? this.retryResult(consistency, false) : this.rethrowResult();
  }
}

const RETRIES = 2;
