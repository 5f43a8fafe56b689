// A network namespace for each node, all on one bridge with this machine: so nodes can be cut off without a word to anybody, as where a cable is pulled.
// Linux, and root only.
import { execFileSync } from 'node:child_process';

/** No machine has this address: what is sent there is lost. */
const NOWHERE = '02:00:00:00:00:99';
const OWN = 254;

const ip = (...args: readonly string[]): void => {
  execFileSync('ip', args, { stdio: 'pipe' });
};

function attempt(...args: readonly string[]): void {
  try {
    ip(...args);
  } catch {
    return;
  }
}

export class Network {
  readonly #number: number;
  readonly #nodes: readonly number[];

  private constructor(number: number, nodes: readonly number[]) {
    this.#number = number;
    this.#nodes = nodes;
  }

  /** 10.77.`number`.1 and up. Undefined where namespaces cannot be made. */
  static make(number: number, nodes: readonly number[]): Network | undefined {
    const network = new Network(number, nodes);
    network.remove();
    try {
      network.#make();
      return network;
    } catch {
      network.remove();
      return undefined;
    }
  }

  hostOf(node: number): string {
    return `10.77.${this.#number}.${node}`;
  }

  launcherOf(node: number): readonly string[] {
    return ['ip', 'netns', 'exec', this.#spaceOf(node)];
  }

  /** Nothing that is sent to the node or by it arrives. */
  cutOff(node: number): void {
    ip('link', 'set', this.#linkOf(node), 'down');
  }

  rejoin(node: number): void {
    ip('link', 'set', this.#linkOf(node), 'up');
  }

  /** What the two send each other is lost; others reach both. */
  separate(one: number, other: number): void {
    this.#lose(one, this.hostOf(other));
    this.#lose(other, this.hostOf(one));
  }

  unite(one: number, other: number): void {
    this.#find(one, this.hostOf(other));
    this.#find(other, this.hostOf(one));
  }

  remove(): void {
    for (const node of this.#nodes) {
      attempt('link', 'del', this.#linkOf(node));
      attempt('netns', 'del', this.#spaceOf(node));
    }
    attempt('link', 'del', this.#bridge);
  }

  get #bridge(): string {
    return `shelfmark${this.#number}`;
  }

  #make(): void {
    ip('link', 'add', this.#bridge, 'type', 'bridge');
    ip('addr', 'add', `${this.hostOf(OWN)}/24`, 'dev', this.#bridge);
    ip('link', 'set', this.#bridge, 'up');
    for (const node of this.#nodes) {
      const [space, link] = [this.#spaceOf(node), this.#linkOf(node)];
      ip('netns', 'add', space);
      ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', space);
      ip('link', 'set', link, 'master', this.#bridge, 'up');
      ip('-n', space, 'addr', 'add', `${this.hostOf(node)}/24`, 'dev', 'eth0');
      ip('-n', space, 'link', 'set', 'eth0', 'up');
      ip('-n', space, 'link', 'set', 'lo', 'up');
    }
  }

  #lose(node: number, host: string): void {
    const to = ['lladdr', NOWHERE, 'nud', 'permanent', 'dev', 'eth0'];
    ip('-n', this.#spaceOf(node), 'neigh', 'replace', host, ...to);
  }

  #find(node: number, host: string): void {
    ip('-n', this.#spaceOf(node), 'neigh', 'del', host, 'dev', 'eth0');
  }

  #spaceOf(node: number): string {
    return `shelfmark${this.#number}-${node}`;
  }

  #linkOf(node: number): string {
    return `sm${this.#number}-${node}`;
  }
}
