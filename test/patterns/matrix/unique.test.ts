// Unique keys of indexes in other partitions: no two rows have one at any moment, and when the flow is done each is its row's, confirmed, wherever a program or a worker ended.
import { type Db, PatternError } from '#patterns';
import { audit } from '#patterns/audit';
import { indexFlow } from '#patterns/indexes';
import {
  ann,
  assertKept,
  assertUnique,
  ben,
  defineMember,
  type MemberEntity,
} from '../derived/remote/unique-world.js';
import { followedCase, type Ground, type MatrixCase } from './case.js';
import { crashMatrix } from './matrix.js';

interface World {
  readonly Member: MemberEntity;
  readonly table: string;
}

const membersOf = (db: Db, { Member, table }: World) => db.repo(Member, { table });
type Members = ReturnType<typeof membersOf>;

/** Of several that want a key, one is refused. */
async function wanted(act: Promise<unknown>): Promise<void> {
  await act.catch((thrown: unknown) => {
    if (!PatternError.is(thrown, 'UniqueViolation') && !PatternError.is(thrown, 'AlreadyExists'))
      throw thrown;
  });
}

const followed = {
  exact: ({ Member, table }: World, { db }: Ground) =>
    assertKept(db, table, 'Keys are not those of rows.', Member),
  audit: ({ Member, table }: World, db: Db) => audit(db, Member, { table }),
  flow: ({ Member }: World) => indexFlow(Member),
};

const named = (
  name: string,
  operation: (members: Members) => Promise<unknown>,
  rival: (members: Members) => Promise<unknown>,
): MatrixCase =>
  followedCase<World>(followed, {
    name: `remote unique keys of ${name}`,
    setUp: async ({ peer, db, newName }) => {
      const world = { Member: defineMember(newName('Member')), table: await peer.newTable() };
      await indexFlow(world.Member).createQueues(db);
      return world;
    },
    operation: (world, db) => operation(membersOf(db, world)),
    rival: (world, db) => rival(membersOf(db, world)),
    always: ({ Member, table }, { db }) => assertUnique(db, table, Member),
  });

const takeOther = (members: Members) => wanted(members.create(ben));

crashMatrix('unique', [
  named('a row that is created', members => wanted(members.create(ann)), takeOther),
  named(
    'a row that takes another',
    async members => {
      await wanted(members.create({ ...ann, email: 'y@x.org' }));
      await wanted(members.mutate(ann, row => row && { ...row, email: ann.email }));
    },
    takeOther,
  ),
  named(
    'a row that goes and comes again',
    async members => {
      await wanted(members.create(ann));
      await members.deleteIfExists({ key: ann, etag: '*' });
      await wanted(members.upsert({ ...ann, note: 'again' }));
    },
    takeOther,
  ),
  named(
    'a row that two writers make',
    members => wanted(members.create(ann)),
    members => wanted(members.create({ ...ann, note: 'other' })),
  ),
]);
