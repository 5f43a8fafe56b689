// The servers in front of the cluster, as processes that are killed and started again.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Draw, from } from '../../../random/arbitrary.js';
import {
  blobPortOf,
  queuePortOf,
  ROOT,
  type SpawnedServer,
  type Spawning,
  spawnServer,
} from '../../../support/spawned-server.js';
import type { PlantName } from '../planted/plants.js';

export type Service = 'table' | 'queue' | 'blob';

interface Ports {
  readonly server: SpawnedServer;
  readonly ports: Readonly<Record<Service, number>>;
}

const PLANT = new URL('../planted/plant.js', import.meta.url);
/** The first one creates the tables of three nodes. */
const READY_MS = 60_000;
const START_ATTEMPTS = 5;
const PAUSE_MS = 1000;

const withPlant = (name: PlantName): Spawning => ({
  command: [process.execPath, '--import', fileURLToPath(PLANT), join(ROOT, 'bin', 'shelfmark.js')],
  env: { ...process.env, SHELFMARK_PLANTED: name },
});

export class FrontEnds {
  readonly #store: string;
  readonly #draw: Draw;
  readonly #spawning: Spawning;
  readonly #all: (Ports | undefined)[] = [];

  constructor(store: string, draw: Draw, plant: PlantName | undefined) {
    this.#store = store;
    this.#draw = draw;
    this.#spawning = plant === undefined ? {} : withPlant(plant);
  }

  get count(): number {
    return this.#all.length;
  }

  async start(count: number): Promise<void> {
    for (let number = 0; number < count; number++) this.#all.push(await this.#serve());
  }

  /** The port of a running one. */
  portOf(service: Service): number {
    const living = this.#all.filter(one => one !== undefined);
    return this.#draw(from(living)).ports[service];
  }

  async kill(number: number): Promise<void> {
    const one = this.#all[number];
    this.#all[number] = undefined;
    await one?.server.stop('SIGKILL');
  }

  /** To the process, which stays. */
  signal(number: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
    const { pid } = this.#all[number]?.server ?? {};
    if (pid !== undefined) process.kill(pid, signal);
  }

  async restart(number: number): Promise<void> {
    this.#all[number] = await this.#serve();
  }

  /** Returns what they wrote to standard error, and how they ended. */
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
        const server = await spawnServer(['serve', '--store', this.#store, '--table-port', '0'], {
          ...this.#spawning,
          readyWithinMilliseconds: READY_MS,
        });
        const ports = { table: server.port, queue: queuePortOf(server), blob: blobPortOf(server) };
        return { server, ports };
      } catch (error) {
        // A node may just be leaving.
        if (attempt === START_ATTEMPTS) throw error;
        await sleep(PAUSE_MS);
      }
    }
  }
}
