// One connection that reads blobs while they are written: each must be whole, of one version, and no older than what
// was acknowledged before. An answer breaks off only if a process dies.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../simulation/plan/random.js';
import { Connection } from '../../support/worker-processes.js';
import { type BlobLife, KINDS } from './blob-life.js';
import { rawBlobRequest } from './blob-request.js';
import { CONTAINER } from './found-blobs.js';
import { faultOfBody, partsOf } from './parts.js';

const RECONNECT_MILLISECONDS = 5;
const PAUSE_MILLISECONDS = 2;

const isBroken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNRESET';

export class BlobReader {
  readonly faults: string[] = [];
  readonly #port: number;
  readonly #lives: readonly BlobLife[];
  readonly #random: Random;
  /** Whether the server is a single process, which stops answering when it dies. */
  readonly #isOfOne: boolean;
  #brokenOff: string | undefined;
  #isOver = false;

  constructor(port: number, lives: readonly BlobLife[], random: Random, isOfOne: boolean) {
    this.#port = port;
    this.#lives = lives;
    this.#random = random;
    this.#isOfOne = isOfOne;
  }

  stop(): void {
    this.#isOver = true;
  }

  async run(): Promise<void> {
    let connection = new Connection(this.#port);
    while (!this.#isOver && this.faults.length === 0) {
      try {
        await this.#readOne(connection);
        await sleep(PAUSE_MILLISECONDS);
      } catch (error) {
        if (isBroken(error)) this.#brokenOff = String(error);
        connection.close();
        connection = new Connection(this.#port);
        await sleep(RECONNECT_MILLISECONDS);
      }
    }
    connection.close();
  }

  async #readOne(connection: Connection): Promise<void> {
    const life = this.#random.pick(this.#lives);
    const kind = this.#random.pick(KINDS);
    const blob = `${life.owner}-${kind}`;
    const floor = life.acknowledged.get(blob) ?? 0;
    const { status, headers, body } = await connection.request(
      rawBlobRequest({ method: 'GET', path: `${CONTAINER}/${blob}` }),
    );
    if (this.#isOfOne && this.#brokenOff !== undefined)
      this.faults.push(`An answer broke off, and the server lives: ${this.#brokenOff}`);
    if (status === 404) return;
    const fault = this.#faultOf(kind, life.owner, floor, status, String(headers['content-length']), body);
    if (fault !== undefined) this.faults.push(`${blob}, read while it is written: ${fault}`);
  }

  #faultOf(
    kind: string,
    owner: string,
    floor: number,
    status: number,
    length: string,
    body: string,
  ): string | undefined {
    if (status !== 200) return `${status} ${body}`;
    if (length !== String(body.length)) return `${body.length} bytes of ${length} came.`;
    const fault = faultOfBody(kind, owner, body);
    if (fault !== undefined) return fault;
    const last = [...partsOf(body)].at(-1);
    if (kind === 'copy' || last === undefined || typeof last === 'string') return undefined;
    return last.version < floor ? `Version ${last.version} is older than ${floor}.` : undefined;
  }
}
