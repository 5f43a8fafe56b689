// All clients of blobs over the lives of the server: writers with blobs of their own, readers of these, and the contest.
import type { Random } from '../../simulation/plan/random.js';
import { Connection } from '../../support/worker-processes.js';
import { History } from '../history.js';
import type { Journal } from '../journal.js';
import type { Watch } from '../tables/writer.js';
import { BlobLife } from './blob-life.js';
import { BlobReader } from './blob-reader.js';
import { rawBlobRequest } from './blob-request.js';
import { Contest } from './contest.js';
import { CONTAINER, containerPath } from './found-blobs.js';

const WRITERS_OF_ONE = 3;
const WRITERS_OF_SEVERAL = 6;
const READERS = 2;
const CONTESTANTS = 3;

export interface Runner {
  readonly faults: readonly string[];
  run(): Promise<void>;
  stop(): void;
}

/** For the writers' blobs. */
export async function createContainer(history: History, port: number, journal: Journal): Promise<void> {
  const connection = new Connection(port);
  const call = { method: 'PUT', path: CONTAINER, query: 'restype=container' } as const;
  history.ask(
    new Map([[containerPath, { text: 'a container', tick: 0n }]]),
    journal.note('? create container'),
  );
  const { status, body } = await connection.request(rawBlobRequest(call));
  connection.close();
  if (status !== 201) throw new Error(`The container was answered ${status} ${body}`);
  history.acknowledge(new Map(), journal.note('! create container'));
}

export class BlobWork {
  readonly contest: Contest;
  readonly #random: Random;
  readonly #journal: Journal;
  readonly #isOfOne: boolean;
  readonly #container = new History(containerPath);
  readonly #lives: readonly BlobLife[];
  constructor(random: Random, journal: Journal, workers: number) {
    this.#random = random;
    this.#journal = journal;
    this.contest = new Contest(random, journal);
    this.#isOfOne = workers === 1;
    const count = workers > 1 ? WRITERS_OF_SEVERAL : WRITERS_OF_ONE;
    this.#lives = Array.from({ length: count }, (_, at) => new BlobLife(`w${at}`, random));
  }

  histories(): readonly History[] {
    return [this.#container, ...this.#lives.map(({ history }) => history)];
  }

  /** Call once, before any other use. */
  make(port: number): Promise<void> {
    return createContainer(this.#container, port, this.#journal);
  }

  clients(port: number, watch: Watch): readonly Runner[] {
    const { contest } = this;
    const readers = Array.from(
      { length: READERS },
      () => new BlobReader(port, this.#lives, this.#random, this.#isOfOne),
    );
    const contestants = contest.clients(CONTESTANTS, port, watch).map(client => ({
      faults: contest.faults,
      run: () => client.run(),
      stop: () => client.stop(),
    }));
    const writers = this.#lives.map(life => ({
      faults: life.faults,
      run: () => life.watched(port, watch).run(port, this.#journal),
      stop: () => life.stop(),
    }));
    return [...writers, ...contestants, ...readers];
  }
}
