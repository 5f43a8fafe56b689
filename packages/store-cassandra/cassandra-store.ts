// The store on Cassandra: the store contract over commits of partitions, a catalogue of spaces and scans.
import type { Clock } from '#base';
import {
  type Budget,
  type Decide,
  type Engine,
  type EngineTools,
  gauge,
  type Reads,
  type Row,
  type ScanEnd,
  type ScanRange,
  type Space,
  type SpaceAddress,
  type Statistic,
  StoreError,
  type Visit,
} from '#store';
import { CassandraPeers } from './cassandra-peers.js';
import { Catalog } from './catalog.js';
import { Commits } from './commit/commits.js';
import { Fences } from './commit/fences.js';
import { GapCache } from './commit/gaps.js';
import { Partition, type PartitionHost } from './commit/partition.js';
import { Reads as ReadTurns } from './commit/reads.js';
import { CassandraContents } from './content/cassandra-contents.js';
import { Drops } from './content/drops.js';
import { SYSTEM } from './layout/schema.js';
import { LiveMembers } from './live-members.js';
import { Members } from './members.js';
import { Owners } from './owners.js';
import { Reclaim } from './reclaim.js';
import { pagesInOrder, RowSizes } from './scan/partition-pages.js';
import { walk } from './scan/scan.js';
import type { Session } from './session/session.js';
import type { Settings } from './session/settings.js';
import { Ticks } from './ticks.js';

export interface CassandraStoreOptions {
  readonly clock: Clock;
  /** How long this process may take a space for living after it looked, and how long each drop waits; default 1,000. */
  readonly leaseMs?: number | undefined;
  /** Those of the cluster; without it none are known to be unsafe. */
  readonly settings?: Settings | undefined;
  /** This many consecutive dead rows become a gap; default 100. */
  readonly leastDead?: number | undefined;
}

const LEASE_MS = 1000;
/** A gap costs a commit, and a read that meets it starts again behind it. */
const LEAST_DEAD = 100;

export class CassandraStore implements Engine {
  readonly content: CassandraContents;
  readonly tools: EngineTools;
  readonly peers: CassandraPeers;
  readonly #session: Session;
  readonly #clock: Clock;
  readonly #settings: Settings | undefined;
  readonly #host: PartitionHost;
  readonly #commits: Commits;
  readonly #ticks: Ticks;
  readonly #catalog: Catalog;
  readonly #reclaim: Reclaim;
  readonly #members: Members;
  readonly #owners: Owners;
  readonly #reads = new ReadTurns();
  readonly #sizes = new RowSizes();
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor(
    session: Session,
    tools: EngineTools,
    { clock, leaseMs = LEASE_MS, leastDead = LEAST_DEAD, settings }: CassandraStoreOptions,
  ) {
    this.#session = session;
    this.tools = tools;
    this.#clock = clock;
    this.#settings = settings;
    const live: LiveMembers = new LiveMembers(() => this.#members.id);
    this.#owners = new Owners(live);
    const found = (sid: bigint, name: string, from: string): void => this.#commits.vacuum(sid, name, from);
    const fences = new Fences(() => this.#members.alone);
    this.#host = { session, gaps: new GapCache(), fences, dead: { least: leastDead, found } };
    this.#commits = new Commits(
      this.#host,
      (sid, partition) => this.#owners.noteConflict(sid, partition),
      async (sid, fence) => (sid === SYSTEM ? this.#ticks.plain(fence) : this.#ticks.next(fence)),
    );
    this.#ticks = new Ticks(this.#commits, clock);
    const system = (partition: string): Partition => new Partition(this.#host, SYSTEM, partition);
    this.#catalog = new Catalog(this.#commits, this.#ticks, system, { leaseMs });
    const drops: Drops = new Drops(() => this.#members);
    this.#members = new Members(session, () => drops.oldestHold(), live);
    const isLiving = (space: Space): Promise<boolean> => this.#catalog.isLiving(space);
    this.content = new CassandraContents({ session, members: this.#members, drops, isLiving });
    this.peers = new CassandraPeers({
      commits: this.#commits,
      members: this.#members,
      live,
      owners: this.#owners,
    });
    this.#reclaim = new Reclaim(session, this.#commits, system('dropped'), this.content);
  }

  /** Call once, before anything else. */
  async begin(): Promise<void> {
    await this.#members.begin();
    this.#reclaim.resume(async (address, id) => (await this.#catalog.get(address))?.id === id);
  }

  health(): string | undefined {
    const { up, known } = this.#session.hosts();
    return up > 0 ? this.#settings?.health() : `None of ${known} hosts of the cluster can be reached.`;
  }

  statistics(): readonly Statistic[] {
    const { up } = this.#session.hosts();
    const unsafe = this.#settings?.unsafe.length ?? 0;
    return [
      gauge('cassandra_hosts', up, 'Hosts that can be reached.', 'min'),
      gauge('cassandra_unsafe_settings', unsafe, 'Settings of the cluster that break the promise.', 'max'),
      gauge(
        'cassandra_requests_in_flight',
        this.#session.underWay,
        'Requests to the cluster that wait for their turn or for an answer.',
      ),
      ...this.#commits.statistics(),
    ];
  }

  createSpace(
    address: SpaceAddress,
    metadata: Buffer,
    onExisting?: (existing: Space) => void,
  ): Promise<Space | undefined> {
    const own = Buffer.from(metadata);
    return this.#call(() => this.#catalog.create(address, own, onExisting));
  }

  getSpace(address: SpaceAddress): Promise<Space | undefined> {
    return this.#call(() => this.#catalog.get(address));
  }

  listSpaces(account: string, service: string, from: string, limit: number): Promise<readonly Space[]> {
    return this.#call(() => this.#catalog.list(account, service, from, limit));
  }

  updateSpace(space: Space, change: (metadata: Buffer) => Buffer): Promise<Space | undefined> {
    return this.#call(() => this.#catalog.update(space, change));
  }

  dropSpace(space: Space, check?: (metadata: Buffer) => void): Promise<boolean> {
    return this.#call(async () => {
      await this.#reclaim.enter(space);
      const isDropped = await this.#catalog.drop(space, check);
      if (isDropped) this.#reclaim.begin(space.id);
      return isDropped;
    });
  }

  read(space: Space, partition: string, keys: readonly string[]): Promise<readonly (Row | undefined)[]> {
    return this.#call(async () => {
      const rows = await this.#reads.read(this.#partition(space, partition), keys);
      return keys.map(key => rows.get(key));
    });
  }

  scan(space: Space, range: ScanRange, budget: Budget, visit: Visit): Promise<ScanEnd> {
    return this.#call(async () => {
      if (budget.rows <= 0) return { next: range.from, examined: 0 };
      const pages = pagesInOrder({
        host: this.#host,
        sid: BigInt(space.id),
        range,
        wanted: Math.min(budget.rows, budget.examined) + 1,
        sizes: this.#sizes,
      });
      return walk(pages, budget, visit, this.#clock);
    });
  }

  commit<R>(space: Space, partition: string, reads: Reads, decide: Decide<R>): Promise<R | undefined> {
    return this.#call(async () => {
      if (!(await this.#catalog.isLiving(space))) return undefined;
      return this.#commits.commit(BigInt(space.id), partition, reads, decide, space.created);
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled([...this.#underWay]);
    await this.#reclaim.close();
    await this.content.close();
    await this.#commits.end();
    await this.#members.close();
    await this.#settings?.close();
    await this.#session.close();
  }

  async #call<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw new StoreError('closed', 'The store is closed.');
    // Other processes may take themselves for exclusive by now.
    if (this.#members.isLate) throw new StoreError('busy', 'The cluster has not answered for a long time.');
    const running = work();
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  }

  #partition(space: Space, name: string): Partition {
    return new Partition(this.#host, BigInt(space.id), name);
  }
}
