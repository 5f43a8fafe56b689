// A store in memory that several servers of one process share, and an owner that the test names. It counts the commits that each server makes.
import {
  type Engine,
  type EngineKind,
  openMemoryStore,
  type Peer,
  type Peers,
  type Space,
  type StoreWithContent,
} from '#store';

export class StubMember implements Peers {
  readonly #members: Map<string, StubMember>;
  readonly id: string;
  readonly suspected: string[] = [];
  url = '';
  /** As others see it. */
  lease = 'first';
  /** As it sees it. */
  ownLease = 'first';
  commits = 0;
  /** By partition: the name of a member. */
  readonly owners = new Map<string, string>();

  constructor(id: string, members: Map<string, StubMember>) {
    this.id = id;
    this.#members = members;
    members.set(id, this);
  }

  get hasOwners(): boolean {
    return this.owners.size > 0;
  }

  async join(url: string): Promise<void> {
    this.url = url;
  }

  async leave(): Promise<void> {
    this.url = '';
  }

  async secret(): Promise<string> {
    return '07'.repeat(32);
  }

  ownerOf(_space: Space, partition: string): Peer | undefined {
    const owner = this.#members.get(this.owners.get(partition) ?? '');
    if (owner === undefined || owner === this || this.suspected.includes(owner.id)) return undefined;
    return { id: owner.id, url: owner.url, lease: owner.lease };
  }

  holds(lease: string): boolean {
    return lease === this.ownLease;
  }

  suspect({ id }: Peer): void {
    this.suspected.push(id);
  }
}

/** `stub:NAME` opens the store as one of its members. */
export class SharedKind implements EngineKind {
  readonly scheme = 'stub';
  readonly placeName = 'NAME';
  readonly members = new Map<string, StubMember>();
  readonly #store: StoreWithContent = openMemoryStore({ clock: () => BigInt(Date.now()) * 10_000n });
  /** To be awaited before each commit. */
  before: (member: string) => Promise<void> = async () => undefined;

  async open(place: string): Promise<Engine> {
    const member = new StubMember(place, this.members);
    const store = this.#store;
    const wait = (): Promise<void> => this.before(place);
    return {
      content: store.content,
      tools: this.tools(place),
      peers: member,
      health: () => undefined,
      statistics: () => [],
      createSpace: (...call) => store.createSpace(...call),
      getSpace: (...call) => store.getSpace(...call),
      listSpaces: (...call) => store.listSpaces(...call),
      updateSpace: (...call) => store.updateSpace(...call),
      dropSpace: (...call) => store.dropSpace(...call),
      read: (...call) => store.read(...call),
      scan: (...call) => store.scan(...call),
      async commit(...call) {
        member.commits += 1;
        await wait();
        return store.commit(...call);
      },
      close: async () => undefined,
    };
  }

  tools(place: string): Engine['tools'] {
    return { place, hasPeers: true };
  }
}
