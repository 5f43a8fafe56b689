// Three nodes, a proxy before each, and front ends: what a run makes fail, and how each fault begins and ends.
import { join } from 'node:path';
import { Cluster, type NodePlaces } from '../../../../tools/cassandra/cluster.js';
import type { Random } from '../../../simulation/plan/random.js';
import type { Fault } from '../plan.js';
import { FrontEnds } from './front-ends.js';
import { Network } from './network.js';
import { NodeProxy, type ProxyMode } from './proxy.js';

export const NODES = [1, 2, 3];
export const FRONT_ENDS = 3;
/** Where there are no namespaces the nodes are on loopback too, behind the proxies. */
const BEHIND = 3;

export interface WorldOptions {
  readonly directory: string;
  /** The last number of the first proxy's address, and the network's. */
  readonly first: number;
  readonly random: Random;
  readonly settings?: Readonly<Record<string, string>>;
  /** Of the store's address. */
  readonly options: string;
}

export class World {
  readonly frontEnds: FrontEnds;
  readonly #options: WorldOptions;
  readonly #network: Network | undefined;
  readonly #cluster: Cluster;
  readonly #proxies = new Map<number, NodeProxy>();

  constructor(options: WorldOptions) {
    const { directory, first, random } = options;
    this.#options = options;
    this.#network = Network.make(first, NODES);
    const network = this.#network;
    const clientHostOf = (node: number): string => `127.0.0.${first + node - 1}`;
    const places: NodePlaces = {
      clientHostOf,
      hostOf: node => network?.hostOf(node) ?? clientHostOf(node + BEHIND),
      launcherOf: node => network?.launcherOf(node) ?? [],
    };
    this.#cluster = new Cluster(join(directory, 'nodes'), places);
    const hosts = NODES.map(clientHostOf).join(',');
    this.frontEnds = new FrontEnds(`cassandra://${hosts}/faults?create${options.options}`, random);
  }

  /** Whether nodes can be cut off. */
  get hasNetwork(): boolean {
    return this.#network !== undefined;
  }

  async start(): Promise<void> {
    const { first, random, settings } = this.#options;
    await this.#cluster.start(NODES.length, settings);
    for (const node of NODES)
      this.#proxies.set(
        node,
        await NodeProxy.begin(`127.0.0.${first + node - 1}`, this.#cluster.hostOf(node), random),
      );
    await this.frontEnds.start(FRONT_ENDS);
  }

  async stop(): Promise<readonly string[]> {
    const ends = await this.frontEnds.stop();
    for (const proxy of this.#proxies.values()) proxy.close();
    await this.#cluster.stop();
    this.#network?.remove();
    return ends;
  }

  async begin(fault: Fault): Promise<void> {
    switch (fault.kind) {
      case 'kill':
        return this.#cluster.kill(fault.node);
      case 'pause':
        return this.#cluster.pause(fault.node);
      case 'cut off':
        return this.#network?.cutOff(fault.node);
      case 'separate':
        return this.#network?.separate(fault.node, fault.other);
      case 'deafen':
        return this.#proxy(fault.node, 'deaf');
      case 'cut connections':
        return this.#proxy(fault.node, 'cutting');
      case 'kill a front end':
        return this.frontEnds.kill(fault.frontEnd);
    }
  }

  async end(fault: Fault): Promise<void> {
    switch (fault.kind) {
      case 'kill':
        return this.#cluster.restart(fault.node);
      case 'pause':
        return this.#cluster.resume(fault.node);
      case 'cut off':
        return this.#network?.rejoin(fault.node);
      case 'separate':
        return this.#network?.unite(fault.node, fault.other);
      case 'deafen':
      case 'cut connections':
        return this.#proxy(fault.node, 'open');
      case 'kill a front end':
        return this.frontEnds.restart(fault.frontEnd);
    }
  }

  #proxy(node: number, mode: ProxyMode): void {
    const proxy = this.#proxies.get(node);
    if (proxy !== undefined) proxy.mode = mode;
  }
}
