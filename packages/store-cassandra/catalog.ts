// The spaces of a store: rows of the engine's own space, one partition for the spaces of an account and service. Each
// process caches what it read for the time of a lease: so a drop first marks the space, then waits until all caches of
// it have expired, and frees its name only then.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Decide, Row, Space, SpaceAddress } from '#store';
import type { Commits } from './commit/commits.js';
import type { Partition, RangeRows } from './commit/partition.js';
import { floorOf, formatFloors, parseFloors, withFloor } from './layout/floors.js';
import { SYSTEM } from './layout/schema.js';
import { longBytes, type Ticks } from './ticks.js';

/** The keys of spaces: a letter, and the name. */
const SPACES = 's';
const BEHIND_SPACES = 't';
const FLOOR = 'floor';
const IDS = 'ids';
const LAST = 'last';

//   | id, 8 bytes | created, 8 | state, 1 | metadata |    numbers big-endian
const CREATED_AT = 8;
const STATE_AT = 16;
const METADATA_AT = 17;
const LIVING = 0;
const DROPPING = 1;

/**
 * Fraction of a lease: a space asked for after it is read again before the lease ends, so that no caller waits for it.
 */
const RENEWED_AFTER = 0.6;

/** Other processes' clocks may run slower than this one's. */
const LEASE_MARGIN = 1.1;

interface Cached {
  readonly space: Space;
  readonly until: number;
}

/** A lookup of a space, shared by all callers that ask for it in the meantime. */
interface Looking {
  readonly begun: number;
  readonly changes: number;
  readonly found: Promise<Space | undefined>;
}

interface Stored {
  readonly space: Space;
  readonly isLiving: boolean;
}

interface CatalogOptions {
  /** How long a process may take a space for living after it looked. */
  readonly leaseMs: number;
}

export class Catalog {
  readonly #commits: Commits;
  readonly #ticks: Ticks;
  readonly #open: (partition: string) => Partition;
  readonly #leaseMs: number;
  readonly #cached = new Map<string, Cached>();
  readonly #looking = new Map<string, Looking>();
  /** Increases with each change by this process: results of earlier reads are then not cached. */
  #changes = 0;

  constructor(
    commits: Commits,
    ticks: Ticks,
    open: (partition: string) => Partition,
    { leaseMs }: CatalogOptions,
  ) {
    this.#commits = commits;
    this.#ticks = ticks;
    this.#open = open;
    this.#leaseMs = leaseMs;
  }

  async create(
    address: SpaceAddress,
    metadata: Buffer,
    onExisting?: (existing: Space) => void,
  ): Promise<Space | undefined> {
    const { account, service, name } = address;
    const id = await this.#newId();
    for (;;) {
      const key = SPACES + name;
      const outcome = await this.#commit<Stored | Space>(
        address,
        [key, FLOOR],
        ({ keys: [row, floor] }, tick) => {
          if (row !== undefined) return { result: storedOf(address, row) };
          const above = floorOf(parseFloors(floor?.value), name);
          const created = tick > above ? tick : above;
          const space: Space = { account, service, name, id, created, metadata: Buffer.from(metadata) };
          return { result: space, puts: [{ key, value: bytesOf(space, LIVING) }] };
        },
      );
      if (!('isLiving' in outcome)) return outcome;
      if (outcome.isLiving) {
        onExisting?.(copySpace(outcome.space));
        return undefined;
      }
      // The process that was dropping it may have ended.
      await this.#finishDrop(outcome.space);
    }
  }

  /** Concurrent callers share a lookup: a partition has all spaces of an account, and serial reads of it queue. */
  async get(address: SpaceAddress): Promise<Space | undefined> {
    const place = placeOf(address);
    const start = performance.now();
    for (;;) {
      const cached = this.#cached.get(place);
      const now = performance.now();
      if (cached !== undefined && now < cached.until) {
        if (now > cached.until - this.#leaseMs * (1 - RENEWED_AFTER)) this.#renew(place, address);
        return copySpace(cached.space);
      }
      const looking = this.#lookingFor(place) ?? this.#look(place, address);
      const space = await looking.found;
      // A space that was there before this call may be gone for a lease's time; one that was missing may be there now.
      const isCurrent =
        looking.begun >= start || (space !== undefined && performance.now() < looking.begun + this.#leaseMs);
      if (isCurrent) return space && copySpace(space);
    }
  }

  async isLiving(space: Space): Promise<boolean> {
    return (await this.get(space))?.id === space.id;
  }

  async list(account: string, service: string, from: string, limit: number): Promise<readonly Space[]> {
    const address = { account, service, name: '' };
    const partition = this.#open(partitionOf(address));
    const listed: Space[] = [];
    let next: string | undefined = SPACES + from;
    if (limit <= 0) return listed;
    do {
      const page: RangeRows = await partition.readRange(next, BEHIND_SPACES, limit);
      for (const row of page.rows) {
        const { space, isLiving } = storedOf({ ...address, name: row.key.slice(SPACES.length) }, row);
        if (isLiving) listed.push(space);
      }
      next = page.next;
    } while (next !== undefined && listed.length < limit);
    return listed.slice(0, limit);
  }

  async update(space: Space, change: (metadata: Buffer) => Buffer): Promise<Space | undefined> {
    const key = SPACES + space.name;
    return this.#commit(space, [key], ({ keys: [row] }) => {
      const stored = row && storedOf(space, row);
      if (!stored?.isLiving || stored.space.id !== space.id) return { result: undefined };
      const changed = { ...stored.space, metadata: Buffer.from(change(stored.space.metadata)) };
      return { result: changed, puts: [{ key, value: bytesOf(changed, LIVING) }] };
    });
  }

  /** False if it was gone, or already marked. */
  async drop(space: Space, check?: (metadata: Buffer) => void): Promise<boolean> {
    const key = SPACES + space.name;
    const isMine = await this.#commit(space, [key], ({ keys: [row] }) => {
      const stored = row && storedOf(space, row);
      if (!stored?.isLiving || stored.space.id !== space.id) return { result: false };
      check?.(stored.space.metadata);
      return { result: true, puts: [{ key, value: bytesOf(stored.space, DROPPING) }] };
    });
    if (isMine) await this.#finishDrop(space);
    return isMine;
  }

  /**
   * For a marked space: once no process takes it for living any more, frees its name; its successor has later ticks.
   */
  async #finishDrop(space: Space): Promise<void> {
    if (this.#leaseMs > 0) await sleep(this.#leaseMs * LEASE_MARGIN);
    const ceiling = await this.#ticks.ceiling();
    const key = SPACES + space.name;
    await this.#commit(space, [key, FLOOR], ({ keys: [row, floor] }, tick) => {
      if (row === undefined || storedOf(space, row).space.id !== space.id) return { result: undefined };
      const floors = withFloor(parseFloors(floor?.value), space.name, ceiling, tick);
      return { result: undefined, puts: [{ key: FLOOR, value: formatFloors(floors) }], deletes: [key] };
    });
  }

  #lookingFor(place: string): Looking | undefined {
    const looking = this.#looking.get(place);
    return looking?.changes === this.#changes ? looking : undefined;
  }

  #look(place: string, address: SpaceAddress): Looking {
    const [begun, changes] = [performance.now(), this.#changes];
    const find = async (): Promise<Space | undefined> => {
      const { rows } = await this.#open(partitionOf(address)).readKeys([SPACES + address.name]);
      const [row] = rows.values();
      const stored = row && storedOf(address, row);
      const space = stored?.isLiving ? stored.space : undefined;
      if (changes === this.#changes) this.#cache(place, space, begun);
      return space;
    };
    const found = find().finally(() => {
      if (this.#looking.get(place) === looking) this.#looking.delete(place);
    });
    const looking: Looking = { begun, changes, found };
    this.#looking.set(place, looking);
    return looking;
  }

  #renew(place: string, address: SpaceAddress): void {
    // Another caller looks again when the lease has ended.
    if (this.#lookingFor(place) === undefined) this.#look(place, address).found.catch(() => undefined);
  }

  async #commit<R>(address: SpaceAddress, keys: readonly string[], decide: Decide<R>): Promise<R> {
    const change = (): void => {
      this.#changes += 1;
      this.#cached.delete(placeOf(address));
    };
    change();
    try {
      return await this.#commits.commit(SYSTEM, partitionOf(address), { keys }, decide);
    } finally {
      change();
    }
  }

  #newId(): Promise<number> {
    return this.#commits.commit(SYSTEM, IDS, { keys: [LAST] }, ({ keys: [row] }) => {
      const id = (row?.value.readBigInt64BE() ?? 0n) + 1n;
      return { result: Number(id), puts: [{ key: LAST, value: longBytes(id) }] };
    });
  }

  #cache(place: string, space: Space | undefined, now: number): void {
    if (space === undefined) this.#cached.delete(place);
    else if (this.#leaseMs > 0) this.#cached.set(place, { space, until: now + this.#leaseMs });
  }
}

/** JSON escapes everything that would make two addresses equal. */
const placeOf = ({ account, service, name }: SpaceAddress): string =>
  JSON.stringify([account, service, name]);
const partitionOf = ({ account, service }: SpaceAddress): string => JSON.stringify([account, service]);

function bytesOf({ id, created, metadata }: Space, state: number): Buffer {
  return Buffer.concat([longBytes(BigInt(id)), longBytes(created), Buffer.of(state), metadata]);
}

function storedOf({ account, service, name }: SpaceAddress, { value }: Row): Stored {
  const space: Space = {
    account,
    service,
    name,
    id: Number(value.readBigInt64BE(0)),
    created: value.readBigInt64BE(CREATED_AT),
    metadata: Buffer.from(value.subarray(METADATA_AT)),
  };
  return { space, isLiving: value[STATE_AT] === LIVING };
}

const copySpace = (space: Space): Space => ({ ...space, metadata: Buffer.from(space.metadata) });
