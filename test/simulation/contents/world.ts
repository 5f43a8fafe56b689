// One process after another on a simulated disk: rows in memory, durable when their commit is acknowledged, and the
// embedded engine's real contents on the disk.
import { openFaultyStore, openMemoryStore, type Space, type Store, type StoreWithContent } from '#store';
import { backgroundOf } from '../../../packages/server/services/blob/blob-request.js';
import { FileContents } from '../../../packages/store-lmdb/content/file-contents.js';
import { sweepBlobs } from '../../blobs/content-faults.js';
import { directSender } from '../../histories/direct-sender.js';
import type { Mood } from '../../power-cut/file-content.js';
import { below, chance, type Draw, unit } from '../../random/arbitrary.js';
import { directService } from '../../support/direct-service.js';
import { type Sender, WELL_KNOWN } from '../../support/worker-processes.js';
import type { SimulatedClock } from '../run/clock.js';
import { type Lies, Mount, pass } from './simulated-calls.js';
import { SimulatedDisk } from './simulated-disk.js';

export const ACCOUNT = WELL_KNOWN.name;

/** Breaks a process, for tests of the simulation itself. */
export interface Plant extends Lies {
  readonly plant?: (store: StoreWithContent) => StoreWithContent;
}

export interface WorldOptions {
  readonly draw: Draw;
  readonly clock: SimulatedClock;
  readonly faults: boolean;
  readonly failingSyncs: boolean;
  readonly planted: Plant;
}

/** The state of one process. */
export interface Life {
  readonly mount: Mount;
  readonly sender: Sender;
  /** Errors that are no refusals. */
  readonly failures: unknown[];
  /** Without faults, for as long as nothing else is in progress. */
  isSound: boolean;
  /** Of all blobs, without faults. */
  sweep(): Promise<void>;
  /** Nothing is done in the background any more. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

const PIECE_BYTES = 7000;
const READER_PASSES = 100;

/** A slow reader: what it has not read yet may be replaced and dropped in between. */
async function slowly(mount: Mount): Promise<void> {
  const { draw } = mount.options;
  for (let left = draw(chance(50)) ? draw(below(READER_PASSES)) : 1; left > 0; left -= 1) await pass(mount);
}

const FAULTS = { failBefore: 0.02, failAfter: 0.02, delay: 0.3, redecide: 0.2, shortScan: 0.2 };
/** Of a hundred. */
const FAILING_SYNCS = 5;
const CHANGES = ['createSpace', 'updateSpace', 'dropSpace', 'commit'] as const;
const LOOKS = ['getSpace', 'listSpaces', 'read', 'scan'] as const;

export class World {
  disk = new SimulatedDisk();
  readonly rows: StoreWithContent;
  readonly #options: WorldOptions;
  /** Containers. */
  readonly #living = new Set<number>();
  #ids = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.rows = openMemoryStore({ clock: options.clock.read });
  }

  isLiving(space: number): boolean {
    return this.#living.has(space);
  }

  /** A process begins on the disk as it is. */
  async begin(): Promise<Life> {
    const { draw, faults, failingSyncs, planted, clock } = this.#options;
    const mount = new Mount(this.disk, {
      ...planted,
      draw,
      failingSyncs: failingSyncs ? FAILING_SYNCS : 0,
    });
    this.#living.clear();
    for (const { id } of await this.rows.listSpaces(ACCOUNT, 'blob', '', 100)) this.#living.add(id);
    const content = new FileContents({
      directory: mount.path,
      isDurable: true,
      isExclusive: true,
      isLiving: ({ id }) => this.isLiving(id),
      livingIds: () => this.#living,
      hasSpace: () => true,
    });
    const store = ofLife(this.rows, content, mount, {
      made: ({ id }) => this.#living.add(id),
      dropped: ({ id }) => {
        this.#living.delete(id);
        content.dropSpace(id);
      },
    });
    const broken = planted.plant?.(store) ?? store;
    const faulty = openFaultyStore(broken, {
      ...FAULTS,
      random: () => (faults && !life.isSound ? draw(unit) : 1),
    });
    const failures: unknown[] = [];
    const ids = () => this.#newId();
    const server = directService(faulty, clock.read, failures, undefined, ids);
    const background = backgroundOf(server);
    const pause = (): Promise<void> => (life.isSound ? Promise.resolve() : slowly(mount));
    const life: Life = {
      mount,
      sender: directSender(server.blobs, { pieceBytes: PIECE_BYTES, pause }),
      failures,
      isSound: false,
      sweep: () => sweepBlobs(broken, background, { clock: clock.read, ids }),
      settled: () => background.settled(),
      close: async () => {
        await background.settled();
        await content.close();
        mount.isDead = true;
      },
    };
    return life;
  }

  /** Loses what is in progress; either the power fails too, or the disk stays as it is. */
  end({ mount }: Life, mood?: Mood): void {
    mount.isDead = true;
    if (mood !== undefined) this.disk = new SimulatedDisk(this.disk.cut(mood, this.#options.draw));
  }

  #newId(): string {
    this.#ids += 1;
    return `00000000-0000-4000-8000-${this.#ids.toString(16).padStart(12, '0')}`;
  }
}

/** A call takes time before and after it takes effect, and has neither effect nor answer once the process has ended. */
function ofLife(
  rows: Store,
  content: StoreWithContent['content'],
  mount: Mount,
  on: { readonly made: (space: Space) => void; readonly dropped: (space: Space) => void },
): StoreWithContent {
  const calls: Record<string, unknown> = { content, close: async () => undefined };
  for (const name of [...CHANGES, ...LOOKS]) {
    const call: unknown = Reflect.get(rows, name);
    if (typeof call !== 'function') continue;
    calls[name] = async (...args: unknown[]) => {
      await pass(mount);
      const result = await Reflect.apply(call, rows, args);
      if (name === 'createSpace' && result !== undefined) on.made(result as Space);
      if (name === 'dropSpace' && result === true) on.dropped(args[0] as Space);
      await pass(mount);
      return result;
    };
  }
  return calls as unknown as StoreWithContent;
}
