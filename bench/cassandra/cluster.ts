// A cluster that is running (npm run cassandra -- start 3), with a keyspace of this run's own. Only one process has the store open at a time,
// because it then reads without a round of Paxos: this process fills long queues, and the server answers requests.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import cassandra from 'cassandra-driver';
import { systemClock } from '../../packages/base/index.js';
import { ENGINES } from '../../packages/server/engines.js';
import type { Engine, Space, SpaceAddress } from '../../packages/store/index.js';
import type { Endpoint } from '../load/request.js';
import { makeAccount } from '../subjects/account.js';
import type { ServerProcess } from '../subjects/server-process.js';
import { startShelfmark } from '../subjects/shelfmark.js';

export interface ClusterOptions {
  /** Of scanned tables. */
  readonly rows: number;
  readonly runs: number;
  readonly seconds: number;
}

export type Say = (line: string) => void;

/** The default data center of a cluster's nodes. */
const DATA_CENTER = 'datacenter1';
const DROP_MILLISECONDS = 60_000;
const ATTEMPTS = 5;
const PAUSE_MILLISECONDS = 2000;

/** Tries again, because a cluster may be too slow for a moment; each failure is printed. */
export async function patiently<T>(what: string, say: Say, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      say(`${what} failed at attempt ${attempt}: ${error}`);
      if (attempt === ATTEMPTS) throw error;
      await sleep(PAUSE_MILLISECONDS);
    }
  }
}

const openEngine = (address: string): Promise<Engine> =>
  ENGINES.open(address, { clock: systemClock, durability: 'full', exclusive: false });

/** The nodes that `npm run cassandra -- start 3` begins here. */
function clusterHosts(): readonly string[] {
  const first = Number(process.env.SHELFMARK_CASSANDRA_FIRST ?? 1);
  return process.env.SHELFMARK_CASSANDRA?.split(',') ?? [0, 1, 2].map(node => `127.0.0.${first + node}`);
}

export class Cluster {
  readonly #account = makeAccount();
  readonly #address: string;
  readonly #client: cassandra.Client;
  #server: ServerProcess | undefined;
  #engine: Engine | undefined;

  private constructor(address: string, client: cassandra.Client) {
    this.#address = address;
    this.#client = client;
  }

  static async open(): Promise<Cluster> {
    const hosts = clusterHosts();
    const keyspace = `bench_${randomBytes(4).toString('hex')}`;
    const address = `cassandra://${hosts.join(',')}/${keyspace}?replicas=${Math.min(3, hosts.length)}`;
    await (await openEngine(`${address}&create`)).close();
    const options = { contactPoints: [...hosts], localDataCenter: DATA_CENTER, keyspace };
    return new Cluster(address, new cassandra.Client(options));
  }

  get account(): string {
    return this.#account.name;
  }

  /** The store in this process, after the server has ended. */
  async engine(): Promise<Engine> {
    await this.#server?.stop();
    this.#server = undefined;
    this.#engine ??= await openEngine(this.#address);
    return this.#engine;
  }

  async space(address: SpaceAddress): Promise<Space> {
    const space = await (await this.engine()).getSpace(address);
    assert(space !== undefined, `There is no ${address.service} ${address.name}.`);
    return space;
  }

  /** The server, after this process has closed the store. */
  async endpoint(service: 'table' | 'queue'): Promise<Endpoint> {
    await this.#engine?.close();
    this.#engine = undefined;
    this.#server ??= await startShelfmark(['--store', this.#address], this.#account);
    const { name: account, signature } = this.#account;
    return { port: this.#server.ports[service === 'table' ? 0 : 1] ?? 0, account, signature };
  }

  /** The most tombstones of any read of rows in the last minutes, of the node that walked the most. */
  async mostTombstones(): Promise<number> {
    await this.#client.connect();
    const query = 'SELECT keyspace_name, table_name, max FROM system_views.tombstones_per_read';
    const walked = await Promise.all(
      this.#client.hosts.values().map(async host => {
        const { rows } = await this.#client.execute(query, [], { host });
        const own = rows.find(row => row.keyspace_name === this.#client.keyspace && row.table_name === 'row');
        return Number(own?.max ?? 0);
      }),
    );
    return Math.max(...walked);
  }

  /** Removes the keyspace. */
  async close(): Promise<void> {
    await this.#server?.stop();
    await this.#engine?.close();
    const options = { readTimeout: DROP_MILLISECONDS };
    await this.#client.execute(`DROP KEYSPACE IF EXISTS "${this.#client.keyspace}"`, [], options);
    await this.#client.shutdown();
  }
}
