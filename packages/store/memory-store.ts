// The memory store: the reference model for other engines, simple rather than fast. It keeps nothing when it is closed,
// and promises O(log n) lookups.
import { type Clock, detachedString, OrderedMap, systemClock } from '#base';
import { copyRow } from './collect-rows.js';
import type { Engine, EngineKind, EngineTools, Statistic } from './engine.js';
import { MemoryContentStore } from './memory-content.js';
import { Spending } from './spending.js';
import type {
  Budget,
  Decide,
  Position,
  ReadRows,
  Reads,
  Row,
  ScanEnd,
  ScanRange,
  Space,
  SpaceAddress,
  Visit,
} from './store.js';
import { StoreError } from './store-error.js';

interface MemorySpace {
  readonly space: Space;
  /** A partition without rows has no entry. */
  readonly partitions: OrderedMap<MemoryPartition>;
}

interface MemoryPartition {
  readonly partition: string;
  readonly rows: OrderedMap<Row>;
}

interface MemoryStoreOptions {
  readonly clock?: Clock | undefined;
  /** For all contents together; default unbounded. */
  readonly contentBytesMax?: number | undefined;
}

export function openMemoryStore(options: MemoryStoreOptions = {}): Engine {
  return new MemoryStore(options);
}

/** It has no data that outlives it, so it has no tools. */
const TOOLS: EngineTools = { place: 'memory' };

/** `memory:` */
export const memoryEngine: EngineKind = {
  scheme: 'memory',
  placeName: '',
  open: async (_place, { clock }) => openMemoryStore({ clock }),
  tools: () => TOOLS,
};

class MemoryStore implements Engine {
  readonly content: MemoryContentStore;
  readonly tools = TOOLS;
  readonly #clock: Clock;
  /** By account and service, then by name. */
  readonly #services = new Map<string, OrderedMap<MemorySpace>>();
  #lastTick = 0n;
  #lastId = 0;
  #isClosed = false;

  constructor({ clock, contentBytesMax }: MemoryStoreOptions) {
    this.#clock = clock ?? systemClock;
    this.content = new MemoryContentStore({
      bytesMax: contentBytesMax ?? Number.POSITIVE_INFINITY,
      isLiving: space => this.#living(space) !== undefined,
    });
  }

  health(): undefined {
    return undefined;
  }

  statistics(): readonly Statistic[] {
    return [];
  }

  async createSpace(
    address: SpaceAddress,
    metadata: Buffer,
    onExisting?: (existing: Space) => void,
  ): Promise<Space | undefined> {
    await this.#turn();
    const spaces = this.#spacesOf(address.account, address.service);
    const existing = spaces.get(address.name)?.space;
    if (existing !== undefined) {
      onExisting?.(copySpace(existing));
      return undefined;
    }
    this.#lastId += 1;
    const { account, service, name } = address;
    const created = this.#nextTick();
    const space: Space = {
      account,
      service,
      name,
      id: this.#lastId,
      created,
      metadata: Buffer.from(metadata),
    };
    spaces.set(name, { space, partitions: new OrderedMap() });
    return copySpace(space);
  }

  async getSpace(address: SpaceAddress): Promise<Space | undefined> {
    await this.#turn();
    const found = this.#spacesOf(address.account, address.service).get(address.name);
    return found && copySpace(found.space);
  }

  async listSpaces(account: string, service: string, from: string, limit: number): Promise<readonly Space[]> {
    await this.#turn();
    const spaces = this.#spacesOf(account, service);
    const listed: Space[] = [];
    for (const found of valuesFrom(spaces, from)) {
      if (listed.length >= limit) break;
      listed.push(copySpace(found.space));
    }
    return listed;
  }

  async updateSpace(space: Space, change: (metadata: Buffer) => Buffer): Promise<Space | undefined> {
    await this.#turn();
    const found = this.#living(space);
    if (found === undefined) return undefined;
    const metadata = Buffer.from(change(Buffer.from(found.space.metadata)));
    const changed = { ...found.space, metadata };
    this.#spacesOf(space.account, space.service).set(space.name, {
      space: changed,
      partitions: found.partitions,
    });
    return copySpace(changed);
  }

  async dropSpace(space: Space, check?: (metadata: Buffer) => void): Promise<boolean> {
    await this.#turn();
    const found = this.#living(space);
    if (found === undefined) return false;
    check?.(Buffer.from(found.space.metadata));
    this.#spacesOf(space.account, space.service).delete(space.name);
    this.content.dropSpace(space.id);
    return true;
  }

  async read(
    space: Space,
    partition: string,
    keys: readonly string[],
  ): Promise<readonly (Row | undefined)[]> {
    await this.#turn();
    const found = this.#living(space)?.partitions.get(partition);
    return keys.map(key => copied(found?.rows.get(key)));
  }

  async scan(space: Space, range: ScanRange, budget: Budget, visit: Visit): Promise<ScanEnd> {
    await this.#turn();
    if (budget.rows <= 0) return { next: range.from, examined: 0 };
    const spending = new Spending(budget, visit, this.#clock);
    let isSpent = false;
    for (const row of this.#rowsFrom(space, range)) {
      if (isSpent) return spending.endAt(row);
      spending.visit(row);
      isSpent = spending.isSpent;
    }
    return spending.endAt();
  }

  async commit<R>(space: Space, partition: string, reads: Reads, decide: Decide<R>): Promise<R | undefined> {
    await this.#turn();
    const found = this.#living(space);
    if (found === undefined) return undefined;
    const rows = found.partitions.get(partition)?.rows ?? new OrderedMap<Row>();
    const tick = this.#nextTick();
    const decision = decide(readRows(rows, reads), tick);
    for (const key of decision.deletes ?? []) rows.delete(key);
    const ownPartition = found.partitions.get(partition)?.partition ?? detachedString(partition);
    for (const { key, value } of decision.puts ?? []) {
      const ownKey = detachedString(key);
      rows.set(ownKey, { partition: ownPartition, key: ownKey, version: tick, value: Buffer.from(value) });
    }
    if (rows.size === 0) found.partitions.delete(partition);
    else found.partitions.set(ownPartition, { partition: ownPartition, rows });
    return decision.result;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // Calls in progress need only microtasks, so they end before the next turn of the event loop.
    await this.content.close();
  }

  /** Everything after it runs synchronously, so commits are serial and a page is one snapshot. */
  async #turn(): Promise<void> {
    if (this.#isClosed) throw new StoreError('closed', 'The store is closed.');
    await undefined;
  }

  #nextTick(): bigint {
    const now = this.#clock();
    this.#lastTick = now > this.#lastTick ? now : this.#lastTick + 1n;
    return this.#lastTick;
  }

  #spacesOf(account: string, service: string): OrderedMap<MemorySpace> {
    const place = JSON.stringify([account, service]);
    const spaces = this.#services.get(place) ?? new OrderedMap<MemorySpace>();
    this.#services.set(place, spaces);
    return spaces;
  }

  #living(space: Space): MemorySpace | undefined {
    const found = this.#spacesOf(space.account, space.service).get(space.name);
    return found?.space.id === space.id ? found : undefined;
  }

  *#rowsFrom(space: Space, { from, until }: ScanRange): Generator<Row> {
    const partitions = this.#living(space)?.partitions ?? new OrderedMap<MemoryPartition>();
    for (const { partition, rows } of valuesFrom(partitions, from.partition)) {
      for (const row of valuesFrom(rows, partition === from.partition ? from.key : '')) {
        if (until !== undefined && !isBefore(row, until)) return;
        yield row;
      }
    }
  }
}

function* valuesFrom<V extends NonNullable<unknown>>(map: OrderedMap<V>, from: string): Generator<V> {
  for (const key of map.keysWithin(from)) {
    const value = map.get(key);
    if (value !== undefined) yield value;
  }
}

function isBefore(a: Position, b: Position): boolean {
  return a.partition === b.partition ? a.key < b.key : a.partition < b.partition;
}

function readRows(rows: OrderedMap<Row>, reads: Reads): ReadRows {
  const range: Row[] = [];
  if (reads.range !== undefined) {
    const { from, until, rows: limit } = reads.range;
    for (const row of valuesFrom(rows, from)) {
      if (range.length >= limit || (until !== undefined && row.key >= until)) break;
      range.push(copyRow(row));
    }
  }
  return { keys: reads.keys.map(key => copied(rows.get(key))), range };
}

const copied = (row: Row | undefined): Row | undefined => row && copyRow(row);

function copySpace(space: Space): Space {
  return { ...space, metadata: Buffer.from(space.metadata) };
}
