// The servers in front of the cluster, as processes that are killed and started again.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../simulation/plan/random.js';
import { blobPortOf, queuePortOf, type SpawnedServer, spawnServer } from '../../../support/spawned-server.js';

export type Service = 'table' | 'queue' | 'blob';

interface Ports {
  readonly server: SpawnedServer;
  readonly ports: Readonly<Record<Service, number>>;
}

const START_ATTEMPTS = 5;
const PAUSE_MS = 1000;

export class FrontEnds {
  readonly #store: string;
  readonly #random: Random;
  readonly #all: (Ports | undefined)[] = [];

  constructor(store: string, random: Random) {
    this.#store = store;
    this.#random = random;
  }

  get count(): number {
    return this.#all.length;
  }

  async start(count: number): Promise<void> {
    for (let number = 0; number < count; number++) this.#all.push(await this.#serve());
  }

  /** Of one that runs. */
  portOf(service: Service): number {
    const living = this.#all.filter(one => one !== undefined);
    return this.#random.pick(living).ports[service];
  }

  async kill(number: number): Promise<void> {
    const one = this.#all[number];
    this.#all[number] = undefined;
    await one?.server.stop('SIGKILL');
  }

  async restart(number: number): Promise<void> {
    this.#all[number] = await this.#serve();
  }

  /** What they wrote to standard error, and how they ended. */
  async stop(): Promise<readonly string[]> {
    const ends = this.#all.map(async one => {
      const { code, stderr } = (await one?.server.stop('SIGTERM')) ?? { code: 0, stderr: '' };
      return `${code} ${stderr}`;
    });
    return Promise.all(ends);
  }

  async #serve(): Promise<Ports> {
    for (let attempt = 1; ; attempt++) {
      try {
        const server = await spawnServer(['serve', '--store', this.#store, '--table-port', '0']);
        const ports = { table: server.port, queue: queuePortOf(server), blob: blobPortOf(server) };
        return { server, ports };
      } catch (error) {
        // A node may just be going away.
        if (attempt === START_ATTEMPTS) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }
}
