// One process after another on a simulated disk: rows in memory, durable when their commit is acknowledged, and the
// embedded engine's real contents on the disk.
import { BackgroundWork, type BlobContext } from '#blobs';
import { openFaultyStore, openMemoryStore, type Space, type Store, type StoreWithContent } from '#store';
import { FileContents } from '../../../packages/store-lmdb/content/file-contents.js';
import { contextOn } from '../../blobs/blob-operation.js';
import type { Mood } from '../../power-cut/file-content.js';
import { type Draw, unit } from '../../random/arbitrary.js';
import type { SimulatedClock } from '../run/clock.js';
import { type Lies, Mount, pass } from './simulated-calls.js';
import { SimulatedDisk } from './simulated-disk.js';

export const ACCOUNT = 'account1';

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
  readonly context: BlobContext;
  /** The same without faults. */
  readonly sound: BlobContext;
  close(): Promise<void>;
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
    const faulty = faults ? openFaultyStore(broken, { ...FAULTS, random: () => draw(unit) }) : broken;
    const background = new BackgroundWork();
    const of = { ids: () => this.#newId(), clock: clock.read, background, account: ACCOUNT };
    return {
      mount,
      context: contextOn(faulty, of),
      sound: contextOn(broken, of),
      close: async () => {
        await background.settled();
        await content.close();
        mount.isDead = true;
      },
    };
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
