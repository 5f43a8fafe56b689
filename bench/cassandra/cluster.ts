// A cluster that is running (npm run cassandra -- start 3), with a keyspace of this run's own. Only one process has the store open at a time,
// because it then reads without a round of Paxos: the server fills tables, this process runs the engine, and the server answers requests.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { systemClock } from '../../packages/base/index.js';
import { ENGINES } from '../../packages/server/engines.js';
import type { Engine, Space, SpaceAddress } from '../../packages/store/index.js';
import type { Endpoint } from '../load/request.js';
import { makeAccount } from '../subjects/account.js';
import type { ServerProcess } from '../subjects/server-process.js';
import { startShelfmark } from '../subjects/shelfmark.js';
import { Driver } from './driver.js';

export interface ClusterOptions {
  /** Of scanned tables. */
  readonly rows: number;
  readonly runs: number;
  readonly seconds: number;
}

const openEngine = (address: string): Promise<Engine> =>
  ENGINES.open(address, { clock: systemClock, durability: 'full', exclusive: false });

/** The nodes that `npm run cassandra -- start 3` begins here. */
function clusterHosts(): readonly string[] {
  const first = Number(process.env.SHELFMARK_CASSANDRA_FIRST ?? 1);
  return process.env.SHELFMARK_CASSANDRA?.split(',') ?? [0, 1, 2].map(node => `127.0.0.${first + node}`);
}

export class Cluster {
  readonly driver: Driver;
  readonly #account = makeAccount();
  readonly #address: string;
  #server: ServerProcess | undefined;
  #engine: Engine | undefined;

  private constructor(address: string, driver: Driver) {
    this.#address = address;
    this.driver = driver;
  }

  static async open(): Promise<Cluster> {
    const hosts = clusterHosts();
    const keyspace = `bench_${randomBytes(4).toString('hex')}`;
    const address = `cassandra://${hosts.join(',')}/${keyspace}?replicas=${Math.min(3, hosts.length)}`;
    await (await openEngine(`${address}&create`)).close();
    return new Cluster(address, new Driver(hosts, keyspace));
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

  /** Removes the keyspace. */
  async close(): Promise<void> {
    await this.#server?.stop();
    await this.#engine?.close();
    await this.driver.close();
  }
}
