// The services that a run is made against: on an engine, faulty or not, that can be closed and opened again, or left as
// after a crash. Requests are values: sockets would order them otherwise each time.
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '#base';
import { Sweep } from '#queues';
import { WELL_KNOWN_ACCOUNT } from '#server';
import { openFaultyStore, openMemoryStore, type Store, StoreError } from '#store';
import { openLmdbStore } from '#store-lmdb';
import { requestDirectly } from '../../histories/direct-sender.js';
import { faultsOfQueueRows } from '../../queues/queue-rows.js';
import { type Draw, drawFrom, unit } from '../../random/arbitrary.js';
import { countedIds, directService } from '../../support/direct-service.js';
import type { Sender } from '../../support/worker-processes.js';
import type { Plan } from '../plan/step.js';
import type { SimulatedClock } from './clock.js';

export interface Subject {
  readonly table: Sender;
  readonly queue: Sender;
  /** A pass over all queues. */
  sweep(): Promise<void>;
  /** Closes gracefully and opens again; calls in progress may be refused. */
  reopen(): Promise<void>;
  /** Continues with the files as they are now; calls in progress are lost. */
  crash(): Promise<void>;
  close(): Promise<void>;
  /** What the rows of queues have that no answer shows. */
  faultsOfRows(): Promise<readonly string[]>;
  /** Errors that are no refusals, since the last call. */
  faultsOfOurs(): readonly unknown[];
}

/** The log is copied after the trees, which must not have what it lacks: it does not wrap while they are copied. */
const FILES = ['data.mdb', 'data.log'];

/** LMDB's two meta pages. */
const META_BYTES = 8_192;

function metaOf(path: string): Buffer {
  const file = openSync(path, 'r');
  const meta = Buffer.alloc(META_BYTES);
  readSync(file, meta, 0, META_BYTES, 0);
  closeSync(file);
  return meta;
}

/**
 * A file as it is at one moment: a thread of LMDB may write while it is copied, and a commit that ends in between lets
 * the next one overwrite pages that the copied meta page names.
 */
function copyAtOnce(from: string, to: string): void {
  let before: Buffer;
  do {
    before = metaOf(from);
    copyFileSync(from, to);
  } while (!before.equals(metaOf(from)));
}

/** Directories of the data, each a copy of the one before. */
class Directories {
  readonly #root = mkdtempSync(join(tmpdir(), 'shelfmark-simulation-'));
  #count = 0;

  get current(): string {
    return join(this.#root, String(this.#count));
  }

  /** The files as another process would find them now. */
  copy(): void {
    const from = this.current;
    this.#count += 1;
    mkdirSync(this.current);
    for (const name of FILES) {
      if (existsSync(join(from, name))) copyAtOnce(join(from, name), join(this.current, name));
    }
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}

/** Opens one store, as often as it is asked, in place of the engine that a plan names. Its previous user may still be closing. */
export type OpenTarget = (clock: Clock) => Promise<Store>;

/** Breaks a store, for tests of the simulation itself. */
export type Plant = (store: Store) => Store;

const NO_FAULTS = { failBefore: 0, failAfter: 0, delay: 0.5, redecide: 0, shortScan: 0 };
const FAULTS = { failBefore: 0.02, failAfter: 0.02, delay: 0.5, redecide: 0.2, shortScan: 0.3 };

async function openStore(plan: Plan, clock: SimulatedClock, directory: string): Promise<Store> {
  return plan.engine === 'memory'
    ? openMemoryStore({ clock: clock.read })
    : openLmdbStore(
        { directory, clock: clock.read, durability: plan.durability, exclusive: plan.alone },
        plan.logsFirst ? { logAfter: 0 } : {},
      );
}

/** Delays alone are no faults: they let calls overtake each other in an order that the seed decides. */
function withFaults(store: Store, plan: Plan, draw: Draw): Store {
  return openFaultyStore(store, {
    ...(plan.faults ? FAULTS : NO_FAULTS),
    random: () => draw(unit),
  });
}

/** A store that fails, or is closed, is swept another time. */
async function sweepAll(store: Store, clock: SimulatedClock): Promise<void> {
  const sweep = new Sweep({ store, clock: clock.read, accounts: () => [WELL_KNOWN_ACCOUNT] });
  try {
    while (!(await sweep.step()).isPassOver);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  }
}

/** A target is opened in place of the engine that the plan names. */
export async function openSubject(
  plan: Plan,
  clock: SimulatedClock,
  plant: Plant = store => store,
  target?: OpenTarget,
): Promise<Subject> {
  const directories = plan.engine === 'lmdb' && target === undefined ? new Directories() : undefined;
  const draw = drawFrom(plan.seed ^ 0x5bd1e995);
  const failures: unknown[] = [];
  const openPlain = target ?? (() => openStore(plan, clock, directories?.current ?? ''));
  const newId = countedIds();
  let rows: Store;
  const begin = async () => {
    rows = await openPlain(clock.read);
    return directService(withFaults(plant(rows), plan, draw), clock.read, failures, undefined, newId);
  };
  let service = await begin();
  return {
    table: { port: 0, request: raw => requestDirectly(service.tables, raw) },
    queue: { port: 0, request: raw => requestDirectly(service.queues, raw) },
    sweep: () => sweepAll(service.store, clock),
    async reopen() {
      await service.store.close();
      service = await begin();
    },
    async crash() {
      const { store } = service;
      directories?.copy();
      service = await begin();
      await store.close();
    },
    async close() {
      await service.store.close();
      directories?.remove();
    },
    faultsOfRows: async () => {
      // A delete for which the disk has no room leaves the count to the sweep.
      if (plan.faults) await sweepAll(rows, clock);
      return faultsOfQueueRows(rows);
    },
    faultsOfOurs: () => failures.splice(0),
  };
}
