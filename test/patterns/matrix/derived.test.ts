// What follows from rows, of every kind: near and remote indexes, unique keys, and lists of ids in all three places. Its audit finds nothing after each request, or once the flow is done, whatever wrote the rows and
// wherever a program or a worker ended. audit.test.ts and listed.test.ts prove that audits find what is wrong.
import assert from 'node:assert/strict';
import { type AnyEntity, type Db, entity, key, part, type Repo } from '#patterns';
import { audit } from '#patterns/audit';
import { change, deleteRows, writeAll } from '#patterns/bulk';
import type { Flow } from '#patterns/flows';
import { indexFlow, near } from '#patterns/indexes';
import { auditLists, type EntityList, listFlow, listOf } from '#patterns/lists';
import { byEmailIn, byNameElsewhere, NEAR, person } from '../support/indexed-entity.js';
import { type Acts, assertClean, assertIdle, type Ground, type MatrixCase, rawRows, tried } from './case.js';
import { crashMatrix } from './matrix.js';
import type { Process } from './process.js';

const personIn = (table: string) => entity('Person', { ...person, table });
type Person = ReturnType<typeof personIn>;

const ann = { department: 'Sales', id: 1, last: 'Jones', email: 'Ann@x.org' } as const;
const ben = { department: 'Sales', id: 2, last: 'Jones', email: 'ben@x.org', note: 'n' } as const;
const eve = { department: 'Sales', id: 3, last: 'Smith', email: 'eve@x.org' } as const;
const any = (at: { readonly department: string; readonly id: number }) => ({ key: at, etag: '*' });

/** What audits give, and take. */
type Pages = AsyncIterable<{ readonly findings: readonly unknown[]; readonly next: string | undefined }>;
interface AuditOptions {
  readonly repair?: boolean;
  readonly size?: number;
  readonly resume?: string | undefined;
}

/** People, and what follows from them; without a flow it is never behind. */
interface Followed {
  /** The compiler takes an entity with indexes for one without. */
  readonly Person: Person;
  readonly flow?: Pick<Flow, 'createQueues' | 'figures' | 'worker'>;
  audit(db: Db, options?: AuditOptions): Pages;
  /** Reads that are never behind. */
  read?(db: Db): Promise<void>;
  /** Checks what else must be true at any moment. */
  always?(): Promise<void>;
  /** Checks the same at the end. */
  finally?(): Promise<void>;
}

const indexed = (Indexed: AnyEntity, flow?: Followed['flow']): Followed => ({
  Person: Indexed as Person,
  audit: (db, options) => audit(db, Indexed, options),
  ...(flow && { flow }),
});

const listedBy = (list: unknown, Listed: Person, flow?: Followed['flow']): Followed => ({
  Person: Listed,
  audit: (db, options) => auditLists(db, list as EntityList<Person>, options),
  ...(flow && { flow }),
});

/** By names; each is of a table of its own, and may have another one. */
const FOLLOWERS: Readonly<
  Record<string, (table: string, ground: Ground, other: string) => Followed | Promise<Followed>>
> = {
  'near indexes': table => {
    const byNote = { kind: near, row: key('note', part('note')) } as const;
    return indexed(entity('Person', { ...person, table, indexes: { ...NEAR, byNote } }));
  },
  'remote indexes': (table, { newName }, other) => {
    const indexes = { byEmail: { ...byEmailIn(other), project: ['last'] }, byName: byNameElsewhere } as const;
    const Remote = entity(newName('Person'), { ...person, table, indexes });
    return {
      ...indexed(Remote, indexFlow(Remote)),
      read: async db => {
        const verified = db.repo(Remote).index('byName', 'verified');
        for (const last of ['Jones', 'Smith', 'Rival'])
          for (const { value } of await verified.partition({ last }).take(9)) assert.equal(value.last, last);
      },
    };
  },
  'remote unique keys': (table, { newName, peer }, other) => {
    const indexes = { byEmail: { ...byEmailIn(other), unique: true, project: ['note'] } } as const;
    const Unique = entity(newName('Person'), { ...person, table, indexes });
    return {
      ...indexed(Unique, indexFlow(Unique)),
      always: async () => {
        const rows = await rawRows(peer, table);
        const emails = rows.flatMap(({ email }) => (email ? [String(email).toLowerCase()] : []));
        assert.deepEqual(emails.toSorted(), [...new Set(emails)].sort(), 'Two rows have one key.');
      },
      finally: async () => {
        for (const row of await rawRows(peer, other)) assert(!('_reserved' in row), 'A key is unconfirmed.');
      },
    };
  },
  'a list in the partition': table => {
    const Listed = personIn(table);
    return listedBy(
      listOf(Listed, 'near', { where: 'same-partition', row: p => key('last', p.last) }),
      Listed,
    );
  },
  'a list in another table': (table, { newName }, other) => {
    const Listed = personIn(table);
    const partition = key('names', part('last'));
    const list = listOf(Listed, 'remote', { where: 'remote', table: other, partition, row: key('list') });
    return listedBy(list, Listed, listFlow(newName('lists'), [list]));
  },
  'a list in blobs': async (table, { newName, peer }) => {
    const [Listed, container] = [personIn(table), newName('lists')];
    await peer.blobs().getContainerClient(container).create();
    const list = listOf(Listed, 'blobs', { where: 'blob', container, blob: p => key('last', p.last) });
    return listedBy(list, Listed, listFlow(newName('lists'), [list]));
  },
};

/** As programs without types may treat a row that they read: what follows is that of the row as it was read. */
function spoilt<S extends { readonly value: object }>(row: S): S {
  Object.assign(row.value, { last: 'Spoilt', email: 'spoilt@x.org' });
  return row;
}

type Operation = (rows: Repo<Person>, db: Db, Person: Person) => Promise<unknown>;

/** Together every write by its name, of rows that are there and of new ones, with and without what is followed. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  'rows that are read and written': async rows => {
    const made = await rows.create(eve);
    const moved = await rows.merge(spoilt(made), { email: null, note: 'new' });
    const renamed = await rows.replace(spoilt(moved), { ...eve, email: 'EVA@x.org', last: 'Brown' });
    await rows.mutate(ann, row => row && Object.assign(row, { last: 'Smith', email: 'new@x.org' }));
    await rows.delete(spoilt(renamed));
  },
  'rows that are written over': rows =>
    tried(
      () => rows.merge(any(ann), { last: 'Adams', email: 'new@x.org' }),
      () => rows.upsert({ ...eve, email: ann.email }),
      () => rows.upsertMerge({ ...ben, last: 'Brown' }),
      () => rows.upsertMerge({ ...eve, id: 5, email: undefined }),
      () => rows.replace(any(ann), { ...ann, last: 'Smith', email: eve.email }),
      // The unique key of another row.
      () => rows.upsert({ ...eve, id: 4, email: 'BEN@x.org' }),
    ),
  'rows that go and come again': rows =>
    tried(
      () => rows.delete(any(ann)),
      () => rows.deleteIfExists(any(ben)),
      () => rows.upsert({ ...ann, last: 'Brown', note: 'again' }),
      () => rows.create({ ...eve, email: ben.email }),
      () => rows.create(ben),
    ),
  'rows that are written together': async (rows, db, Person) => {
    const [a, b] = [await rows.get(ann), await rows.get(ben)];
    if (a === undefined || b === undefined) return;
    for (const row of [a, b]) spoilt(row);
    const batch = () => db.batch(Person, ann);
    await tried(
      () => batch().merge(Person, a, { email: ben.email }).merge(Person, b, { email: ann.email }).commit(),
      () =>
        batch()
          .create(Person, eve)
          .create(Person, { ...eve, id: 4, email: 'dan@x.org' })
          .commit(),
    );
  },
  'rows that are written and deleted in bulk': async (rows, db, Person) => {
    const changes = [
      change.upsert(Person, { ...eve, email: 'new@x.org' }),
      change.upsert(Person, { ...ann, last: 'Brown' }),
      change.create(Person, { ...eve, id: 4, email: 'dan@x.org' }),
      change.merge(Person, any(ben), { last: 'Brown' }),
    ];
    for await (const report of writeAll(db, changes)) void report;
    const some = {
      async *pages() {
        for await (const page of rows
          .partition(ann)
          .where(p => p.last.eq('Brown'))
          .pages()) {
          for (const row of page.items) spoilt(row);
          yield page;
        }
      },
    };
    for await (const page of deleteRows(db, some, { conditional: true })) void page;
  },
};

/** People in tables of their own, what follows from them, and the program that knows nothing of that. */
async function world(ground: Ground, follower: string) {
  const { peer, db } = ground;
  const [table, other] = [await peer.newTable(), await peer.newTable()];
  const followed = (await FOLLOWERS[follower]?.(table, ground, other)) ?? assert.fail();
  const { flow, Person } = followed;
  await flow?.createQueues(db);
  const unfollowed = db.repo(entity(Person.name, { ...person, table }) as Person);
  for (const each of [ann, ben]) await unfollowed.create(each);
  const repairing = () => {
    let resume: string | undefined;
    // From where the last one ended.
    return async (own: Db): Promise<void> => {
      for await (const { next } of followed.audit(own, { repair: true, size: 1, resume })) resume = next;
    };
  };
  await repairing()(db);
  const acts: Omit<Acts, 'operation'> = {
    rival: async own => {
      const rows = own.repo(Person);
      await tried(
        () => rows.mutate(ann, row => row && { ...row, last: 'Rival', note: 'rival' }),
        () => rows.upsert({ ...ben, note: 'rival' }),
        () => rows.create({ ...eve, id: 9, email: 'New@x.org' }),
      );
      await followed.read?.(own);
    },
    work: process => flow?.worker(process.db, process.worker),
    finally: async () => {
      await assertClean(followed.audit(db));
      if (flow) await assertIdle(flow, db);
      await followed.finally?.();
    },
  };
  return { ...followed, unfollowed, repairing, acts };
}

const written = (follower: string, name: string, operation: Operation): MatrixCase => ({
  name: `${follower} of ${name}`,
  // It takes minutes there.
  ...(follower.includes('list') && name.includes(' go') && { notOn: 'azurite' }),
  setUp: async ground => {
    const { Person, flow, audit: audited, always, acts } = await world(ground, follower);
    return {
      ...acts,
      operation: db => operation(db.repo(Person), db, Person),
      always: async () => {
        if (flow === undefined) await assertClean(audited(ground.db));
        await always?.();
      },
    };
  },
});

const repaired = (follower: string): MatrixCase => ({
  name: `${follower} of rows that a program wrote around them, which a repair that resumes finds`,
  setUp: async ground => {
    const { unfollowed, repairing, flow, acts } = await world(ground, follower);
    await unfollowed.upsert({ ...ann, last: 'Brown', email: 'new@x.org' });
    await unfollowed.delete(any(ben));
    await unfollowed.create({ ...eve, last: 'Brown' });
    const repair = repairing();
    /** Processes that repair. */
    const active = new Set<Process>();
    return {
      ...acts,
      operation: repair,
      work: process => {
        active.add(process);
        const running = repair(process.db)
          .catch(() => undefined)
          .finally(() => active.delete(process));
        const working = flow?.worker(process.db, process.worker);
        return { stop: () => Promise.all([running, working?.stop()]) };
      },
      isDone: async () => [...active].every(({ isDead }) => isDead),
    };
  },
});

const casesOf = (follower: string): readonly MatrixCase[] => [
  ...Object.entries(OPERATIONS).map(([name, operation]) => written(follower, name, operation)),
  repaired(follower),
];

const [first = '', ...others] = Object.keys(FOLLOWERS);
crashMatrix('derived', casesOf(first));
crashMatrix('derived', others.flatMap(casesOf));
