// Writes of rows with indexes elsewhere, for the crash matrix: a row that is made, changes its keys there, goes and is made again, while another program changes it, too.
import assert from 'node:assert/strict';
import type { Db, Repo } from '#patterns';
import { PatternError } from '#patterns';
import { indexFlow } from '#patterns/indexes';
import type { Scenario } from './crash-matrix.js';
import { ann, assertExact, ben, farDefinition, type Person } from './far-world.js';
import { SOON } from './flow-scenarios.js';

export interface FarWorld {
  readonly Person: Person;
}

const change = (people: Repo<Person>, email: string, last: string): Promise<unknown> =>
  people.mutate(ann, row => row && { ...row, email, last });

/** What another program does meanwhile may come first. */
async function beside(run: () => Promise<unknown>): Promise<void> {
  await run().catch((thrown: unknown) => {
    if (!PatternError.is(thrown, 'Conflict') && !PatternError.is(thrown, 'AlreadyExists')) throw thrown;
  });
}

/** `settleOf` is what tests plant faults in. */
export const indexedElsewhere = (flowOf = indexFlow): Scenario<FarWorld> => {
  const peopleOf = (db: Db, Person: Person): Repo<Person> => db.repo(Person);
  return {
    name: 'rows with indexes elsewhere',
    prepare: async (peer, { db }) => {
      const { Person } = await farDefinition(peer);
      await flowOf(Person).createQueues(db);
      return { Person };
    },
    run: async ({ Person }, { db }) => {
      const people = peopleOf(db, Person);
      await people.create(ann);
      await change(people, 'ann@y.org', 'Smith');
      await people.deleteIfExists({ key: ann, etag: '*' });
      await people.upsert({ ...ann, last: 'Brown' });
      await db
        .batch(Person, ann)
        .create(Person, ben)
        .create(Person, { ...ben, id: 3, email: 'c@x.org' })
        .commit();
    },
    meanwhile: ({ Person }, { db }) =>
      beside(async () => {
        const people = peopleOf(db, Person);
        await change(people, 'ann@z.org', 'Jones');
        await people.upsert({ ...ben, last: 'Green' });
      }),
    work: ({ Person }, { db }, report) => flowOf(Person).worker(db, { ...SOON, report }),
    isDrained: async ({ Person }, { db }) => (await flowOf(Person).figures(db)).pending === 0,
    check: async ({ Person }, { db }) => {
      await assertExact(db, Person, 'The index rows are not what the rows say.');
      assert.equal((await flowOf(Person).figures(db)).poisoned, 0);
    },
  };
};
