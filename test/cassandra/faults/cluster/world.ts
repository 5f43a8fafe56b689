// Three nodes, a proxy before each, and front ends: what a run makes fail, and how each fault begins and ends.
import { join } from 'node:path';
import { Cluster, type NodePlaces } from '../../../../tools/cassandra/cluster.js';
import type { Draw } from '../../../random/arbitrary.js';
import type { Fault } from '../plan.js';
import type { PlantName } from '../planted/plants.js';
import { FrontEnds } from './front-ends.js';
import { Network } from './network.js';
import { NodeProxy, type ProxyMode } from './proxy.js';

export const FRONT_ENDS = 3;
/** Without namespaces the nodes are on loopback too, after the addresses of three proxies. */
const BEHIND = 3;

export interface WorldOptions {
  readonly nodes: readonly number[];
  readonly directory: string;
  /** The last number of the first proxy's address, and the network's. */
  readonly first: number;
  readonly draw: Draw;
  /** A fault of the front ends. */
  readonly plant?: PlantName | undefined;
}

export class World {
  readonly frontEnds: FrontEnds;
  readonly #options: WorldOptions;
  readonly #network: Network | undefined;
  readonly #cluster: Cluster;
  readonly #proxies = new Map<number, NodeProxy>();

  constructor(options: WorldOptions) {
    const { nodes, directory, first, draw } = options;
    this.#options = options;
    this.#network = Network.make(first, nodes);
    const network = this.#network;
    const clientHostOf = (node: number): string => `127.0.0.${first + node - 1}`;
    const places: NodePlaces = {
      clientHostOf,
      hostOf: node => network?.hostOf(node) ?? clientHostOf(node + BEHIND),
      launcherOf: node => network?.launcherOf(node) ?? [],
    };
    this.#cluster = new Cluster(join(directory, 'nodes'), places);
    const hosts = nodes.map(clientHostOf).join(',');
    this.frontEnds = new FrontEnds(
      `cassandra://${hosts}/faults?create&replicas=${nodes.length}`,
      draw,
      options.plant,
    );
  }

  /** Whether nodes can be cut off. */
  get hasNetwork(): boolean {
    return this.#network !== undefined;
  }

  async start(): Promise<void> {
    const { nodes, first, draw } = this.#options;
    await this.#cluster.start(nodes.length);
    for (const node of nodes)
      this.#proxies.set(
        node,
        await NodeProxy.begin(`127.0.0.${first + node - 1}`, this.#cluster.hostOf(node), draw),
      );
    await this.frontEnds.start(1);
  }

  /** The other front ends. */
  async join(): Promise<void> {
    await this.frontEnds.start(FRONT_ENDS - this.frontEnds.count);
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
      case 'delay commits':
        return this.#proxy(fault.node, 'late');
      case 'kill a front end':
        return this.frontEnds.kill(fault.frontEnd);
    }
  }

  async end(fault: Fault): Promise<void> {
    switch (fault.kind) {
      case 'kill':
        return this.#restart(fault.node);
      case 'pause':
        return this.#cluster.resume(fault.node);
      case 'cut off':
        return this.#network?.rejoin(fault.node);
      case 'separate':
        return this.#network?.unite(fault.node, fault.other);
      case 'deafen':
      case 'cut connections':
      case 'delay commits':
        return this.#proxy(fault.node, 'open');
      case 'kill a front end':
        return this.frontEnds.restart(fault.frontEnd);
    }
  }

  /** Cassandra's own start is not judged: a failing one is reported, and repeated. */
  async #restart(node: number): Promise<void> {
    try {
      await this.#cluster.restart(node);
    } catch (error) {
      process.stderr.write(`${String(error)}\nNode ${node} is started once more.\n`);
      await this.#cluster.restart(node);
    }
  }

  #proxy(node: number, mode: ProxyMode): void {
    const proxy = this.#proxies.get(node);
    if (proxy !== undefined) proxy.mode = mode;
  }
}
