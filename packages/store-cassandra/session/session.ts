// The only code that uses the driver: statements with the consistency that each kind needs, and the outcome of a
// conditional write. Knows nothing of spaces and rows.
import { setTimeout as sleep } from 'node:timers/promises';
import cassandra from 'cassandra-driver';
import { Semaphore } from '#base';
import { type Access, definedOf } from './access.js';
import { busy, failureOf, isFault, refused, wasLate, wasNotBegun, wasUnheard } from './failure.js';
import { mustFit } from './frame.js';
import { refusalOf } from './refusal.js';
import { repair } from './repairs.js';
import { NextHost, Suspected, SuspectsLast } from './suspects.js';

interface SessionOptions {
  readonly hosts: readonly string[];
  readonly port: number;
  readonly keyspace: string;
  /** Without it nothing is presented to a cluster. */
  readonly access?: Access | undefined;
}

export interface Statement {
  readonly query: string;
  readonly params: readonly Param[];
}

type Param = bigint | number | string | Buffer | null | readonly Pair[];

/** A kind and a key, for `(kind, rk) IN ?`. */
export interface Pair {
  readonly kind: number;
  readonly key: Buffer;
}

/** A row of an answer. Null columns are undefined here. */
export interface Columns {
  bytes(name: string): Buffer;
  text(name: string): string;
  optionalText(name: string): string | undefined;
  integer(name: string): number;
  long(name: string): bigint | undefined;
}

export interface Page {
  readonly rows: readonly Columns[];
  /** Where the next page begins; undefined after the last. */
  readonly state: string | undefined;
}

export type Answer =
  | { readonly kind: 'applied' }
  /** The condition does not hold; nothing was changed. */
  | { readonly kind: 'refused' }
  /** It may have been applied, or still be applied. */
  | { readonly kind: 'unclear'; readonly error: unknown };

/** The server's own timeout of a read is shorter, so that its answer arrives first. */
const READ_MS = 2500 + 1000;
/** Nodes agree on a table before they answer. */
const SCHEMA_MS = 60_000;
const SCHEMA_PAUSE_MS = 200;
/**
 * Concurrent requests for each host that is known at the start: a node has this many threads for them
 * (`native_transport_max_threads`), and requests in its queue may exceed its read timeout. The driver refuses more than
 * 2,048.
 */
const AT_ONCE = 128;
const HEARTBEAT_MS = 1000;
/** For a statement that is safe to repeat, if a host became late or a node hit its timeout. */
const ATTEMPTS = 3;
const CONNECT_MS = 2500;

const { consistencies } = cassandra.types;

export class Session {
  readonly #client: cassandra.Client;
  readonly #suspects: SuspectsLast;
  readonly #places: Semaphore;
  #inTurns = 0;

  private constructor(client: cassandra.Client, suspects: SuspectsLast) {
    this.#client = client;
    this.#suspects = suspects;
    this.#places = new Semaphore(AT_ONCE * client.hosts.length);
    suspects.begin(client);
  }

  /** Fails as `onCluster` does. `localDataCenter` has the hosts to use. */
  static async open(options: SessionOptions, localDataCenter: string): Promise<Session> {
    const { loadBalancing } = cassandra.policies;
    const local = new loadBalancing.DCAwareRoundRobinPolicy(localDataCenter);
    const suspects = new SuspectsLast(new loadBalancing.TokenAwarePolicy(local));
    const client = clientOf(options, suspects, options.keyspace);
    await connected(client, options);
    return new Session(client, suspects);
  }

  /** Linearizable: it shows what was acknowledged before it began. */
  readSerial(
    statement: Statement,
    page?: { readonly size: number; readonly state?: string | undefined },
  ): Promise<Page> {
    return this.#read(statement, consistencies.localSerial, page);
  }

  /** Shows what `write` was acknowledged for. */
  read(
    statement: Statement,
    page?: { readonly size: number; readonly state?: string | undefined },
  ): Promise<Page> {
    return this.#read(statement, consistencies.localQuorum, page);
  }

  /** Without a condition, and safe to repeat. */
  async write({ query, params }: Statement): Promise<void> {
    try {
      await this.#repeated(query, params, { consistency: consistencies.localQuorum });
    } catch (error) {
      throw failureOf(error);
    }
  }

  /**
   * The statements as one, on one partition; one of them has a condition. Rejects if nothing was begun, and for
   * requests that are wrong in themselves.
   */
  async writeIf(statements: readonly Statement[]): Promise<Answer> {
    mustFit(statements);
    try {
      const queries = statements.map(({ query, params }) => ({ query, params: params.map(wireParam) }));
      const options = {
        prepare: true,
        logged: false,
        consistency: consistencies.localQuorum,
        serialConsistency: consistencies.localSerial,
        isIdempotent: false,
      };
      const result = await this.#inTurn(() =>
        this.#suspects.send(options, () => this.#client.batch(queries, options)),
      );
      return { kind: result.wasApplied() ? 'applied' : 'refused' };
    } catch (error) {
      if (wasNotBegun(error) || isFault(error)) throw failureOf(error);
      return { kind: 'unclear', error };
    }
  }

  /** Hosts that can be reached now, and all known ones. */
  hosts(): { readonly up: number; readonly known: number } {
    const hosts = this.#client.hosts.values();
    return {
      up: hosts.filter(host => host.isUp() && !this.#suspects.isSuspect(host)).length,
      known: hosts.length,
    };
  }

  /** Requests that wait for their turn, or for an answer. */
  get underWay(): number {
    return this.#inTurns;
  }

  /** Calls the listener whenever a host can be reached again, is new, or has left the cluster. */
  onHosts(listener: () => void): void {
    for (const event of ['hostUp', 'hostAdd', 'hostRemove']) this.#client.on(event, listener);
  }

  /** For reading anything other than rows. */
  cluster(): ClusterAccess {
    return clusterOf(this.#client);
  }

  async close(): Promise<void> {
    this.#suspects.end();
    await this.#client.shutdown();
  }

  /**
   * For a statement that is safe to repeat: retried, on another host if possible, if a host becomes late or a node
   * reports that it was.
   */
  async #repeated(
    query: string,
    params: readonly Param[],
    how: cassandra.QueryOptions,
  ): Promise<cassandra.types.ResultSet> {
    for (let attempt = 1; ; attempt++) {
      const options = { ...how, prepare: true, isIdempotent: true };
      try {
        return await this.#inTurn(() =>
          this.#suspects.send(options, () => this.#client.execute(query, params.map(wireParam), options)),
        );
      } catch (error) {
        if (!(error instanceof Suspected || wasLate(error)) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #inTurn<T>(send: () => Promise<T>): Promise<T> {
    this.#inTurns += 1;
    await this.#places.enter();
    try {
      return await send();
    } finally {
      this.#places.leave();
      this.#inTurns -= 1;
    }
  }

  async #read(
    { query, params }: Statement,
    consistency: number,
    page?: { readonly size: number; readonly state?: string | undefined },
  ): Promise<Page> {
    try {
      const { rows, pageState } = await this.#repeated(query, params, {
        consistency,
        autoPage: false,
        fetchSize: page?.size ?? 0,
        ...(page?.state === undefined ? {} : { pageState: page.state }),
      });
      return { rows: rows.map(row => new RowColumns(row)), state: pageState ?? undefined };
    } catch (error) {
      throw failureOf(error);
    }
  }
}

export type Run = (
  query: string,
  params?: readonly (string | number)[],
) => Promise<readonly cassandra.types.Row[]>;

/** A cluster whose keyspace need not exist. */
export interface ClusterAccess {
  readonly run: Run;
  /** The names of its data centers. */
  dataCenters(): readonly string[];
  /** How many hosts a data center has, reachable or not. */
  countHosts(dataCenter: string): number;
  /** On the reachable host of a data center with the first address: the same one for every process, as a rule. */
  onFirst(dataCenter: string): Run;
  /** The answers of all reachable hosts of a data center. */
  runOnEach(dataCenter: string, query: string): Promise<ReadonlyMap<string, readonly cassandra.types.Row[]>>;
}

/** Fails with `busy` if no host can be reached, with `unsupported` if the cause is permanent. */
export async function onCluster<T>(
  options: SessionOptions,
  work: (cluster: ClusterAccess) => Promise<T>,
): Promise<T> {
  const client = clientOf(options, new cassandra.policies.loadBalancing.RoundRobinPolicy());
  await connected(client, options);
  try {
    return await work(clusterOf(client));
  } finally {
    await client.shutdown();
  }
}

function clusterOf(client: cassandra.Client): ClusterAccess {
  const upIn = (dataCenter: string): readonly cassandra.Host[] =>
    client.hosts.values().filter(host => host.datacenter === dataCenter && host.isUp());
  const runOnEach: ClusterAccess['runOnEach'] = async (dataCenter, query) => {
    const answers = new Map<string, readonly cassandra.types.Row[]>();
    for (const host of upIn(dataCenter)) answers.set(host.address, await run(client, query, [], host));
    return answers;
  };
  const onFirst: ClusterAccess['onFirst'] = dataCenter => {
    const [first] = [...upIn(dataCenter)].sort((a, b) => (a.address < b.address ? -1 : 1));
    return (query, params = []) => run(client, query, params, first);
  };
  const placesOfHosts = (): readonly string[] => client.hosts.values().map(({ datacenter }) => datacenter);
  return {
    run: (query, params = []) => run(client, query, params),
    dataCenters: () => [...new Set(placesOfHosts())],
    countHosts: dataCenter => placesOfHosts().filter(name => name === dataCenter).length,
    onFirst,
    runOnEach,
  };
}

class RowColumns implements Columns {
  readonly #row: cassandra.types.Row;

  constructor(row: cassandra.types.Row) {
    this.#row = row;
  }

  bytes(name: string): Buffer {
    return this.#row[name] ?? NOTHING;
  }

  text(name: string): string {
    return this.#row[name];
  }

  optionalText(name: string): string | undefined {
    return this.#row[name] ?? undefined;
  }

  integer(name: string): number {
    return this.#row[name];
  }

  long(name: string): bigint | undefined {
    return this.#row[name] ?? undefined;
  }
}

const NOTHING = Buffer.alloc(0);

function clientOf(
  { hosts, port, access }: SessionOptions,
  loadBalancing: cassandra.policies.loadBalancing.LoadBalancingPolicy,
  keyspace?: string,
): cassandra.Client {
  const { auth, policies } = cassandra;
  const { credentials, certificates } = access ?? {};
  const client = new cassandra.Client({
    contactPoints: [...hosts],
    ...(keyspace === undefined ? {} : { keyspace }),
    policies: {
      loadBalancing,
      retry: new NextHost(),
      reconnection: new policies.reconnection.ConstantReconnectionPolicy(HEARTBEAT_MS),
    },
    ...(credentials && {
      authProvider: new auth.PlainTextAuthProvider(credentials.user, credentials.password),
    }),
    // The driver's own default accepts any certificate.
    ...(certificates && { sslOptions: { ...definedOf(certificates), rejectUnauthorized: true } }),
    // The driver waits for hosts that are down too; prepare.ts asks those that are up.
    protocolOptions: { port, maxSchemaAgreementWaitSeconds: 0 },
    pooling: { heartBeatInterval: HEARTBEAT_MS },
    socketOptions: { readTimeout: READ_MS, connectTimeout: CONNECT_MS },
    encoding: { useBigIntAsLong: true },
  });
  repair(client);
  return client;
}

async function connected(client: cassandra.Client, { access }: SessionOptions): Promise<void> {
  try {
    await client.connect();
  } catch (error) {
    await client.shutdown();
    throw refusalOf(error, access);
  }
}

/** Retries on a node that does not know a keyspace or a table yet: whether they exist is looked up before. */
async function run(
  client: cassandra.Client,
  query: string,
  params: readonly (string | number)[],
  host?: cassandra.Host,
): Promise<readonly cassandra.types.Row[]> {
  const giveUp = performance.now() + SCHEMA_MS;
  for (;;) {
    try {
      const { rows } = await client.execute(query, [...params], {
        readTimeout: SCHEMA_MS,
        consistency: consistencies.localQuorum,
        serialConsistency: consistencies.localSerial,
        ...(host && { host }),
      });
      return rows;
    } catch (error) {
      if (!wasUnheard(error) || performance.now() > giveUp)
        throw isFault(error) ? refused(error) : busy(error);
      await sleep(SCHEMA_PAUSE_MS);
    }
  }
}

function wireParam(param: Param): unknown {
  if (!Array.isArray(param)) return param;
  return param.map(({ kind, key }: Pair) => new cassandra.types.Tuple(kind, key));
}
