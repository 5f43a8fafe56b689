// Random writes of rows with remote indexes by two programs, with workers that come between: when the queue is empty, the index rows are those that a rebuild would give, and what fresh reads give is what the
// rows say at every moment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pauseOf } from 'node:timers/promises';
import fc from 'fast-check';
import { PatternError, type Repo } from '#patterns';
import { indexFlow } from '#patterns/indexes';
import { describePeers } from '../../support/peers.js';
import { type Person, remoteWorld, type Value } from './remote-world.js';

const NAMES = [
  'create',
  'replace',
  'merge any',
  'upsert',
  'upsertMerge',
  'delete',
  'deleteIfExists',
  'batch',
  'work',
] as const;

interface Command {
  readonly name: (typeof NAMES)[number];
  readonly id: number;
  readonly email: string | undefined;
  readonly last: string;
}

const command: fc.Arbitrary<Command> = fc.record({
  name: fc.constantFrom(...NAMES),
  id: fc.integer({ min: 1, max: 2 }),
  email: fc.constantFrom(undefined, 'a', 'A', 'b'),
  last: fc.constantFrom('x', 'y'),
});
const commands = fc.array(command, { minLength: 1, maxLength: 10 });

const personOf = ({ id, email, last }: Command): Value => ({
  department: 'Sales',
  id,
  last,
  ...(email !== undefined && { email }),
});

async function run(people: Repo<Person>, step: Command): Promise<unknown> {
  const value = personOf(step);
  const ref = { key: value, etag: '*' };
  const row = await people.get(value);
  switch (step.name) {
    case 'create':
      return people.create(value);
    case 'replace':
      return row && people.replace(row, value);
    case 'merge any':
      return people.merge(ref, { last: step.last, ...(step.email !== undefined && { email: step.email }) });
    case 'upsert':
      return people.upsert(value);
    case 'upsertMerge':
      return people.upsertMerge(value);
    case 'delete':
      return row && people.delete(row);
    default:
      return people.deleteIfExists(ref);
  }
}

const EXPECTED: ReadonlySet<string> = new Set([
  'AlreadyExists',
  'NotFound',
  'Conflict',
  'Contention',
  'BatchFailed',
]);

describePeers('remote indexes, against a model', peer => {
  const isShort = process.env.SHELFMARK_LONG === undefined;
  const isFull = process.env.PATTERN_FULL !== undefined;
  /** One takes seconds. */
  const runs = { numRuns: isShort ? 1 : isFull ? 20 : 10 };

  test('are equal to their rows after any history of two programs', async () => {
    const property = fc.asyncProperty(commands, commands, async (first, second) => {
      const { db, Person, people, opened, drain, assertExact } = await remoteWorld(peer, {
        sleep: async () => undefined,
      });
      const worker = indexFlow(Person).worker(
        opened({ sleep: (milliseconds, signal) => pauseOf(milliseconds, undefined, { signal }) }),
        {
          // A program may stand still between a message and its write.
          grace: 600,
          redeliverAfter: 1,
          rest: { base: 5, cap: 20 },
        },
      );
      const program = async (steps: readonly Command[]): Promise<void> => {
        for (const step of steps) {
          if (step.name === 'work') {
            const joneses = people.index('byName', 'verified').partition({ last: step.last });
            for (const { value } of await joneses.take(9)) assert.equal(value.last, step.last);
            continue;
          }
          const done =
            step.name === 'batch'
              ? people
                  .getMany([
                    { department: 'Sales', id: 1 },
                    { department: 'Sales', id: 2 },
                  ])
                  .then(rows => {
                    const batch = db.batch(Person, { department: 'Sales' });
                    for (const row of rows)
                      if (row !== undefined) batch.replace(Person, row, { ...row.value, last: step.last });
                    return rows.some(row => row !== undefined) ? batch.commit() : undefined;
                  })
              : run(people, step);
          await done.catch((thrown: unknown) => {
            if (!PatternError.is(thrown) || !EXPECTED.has(thrown.code)) throw thrown;
          });
        }
      };
      await Promise.all([program(first), program(second)]);
      await worker.stop();
      await drain({ workers: 2 });
      await assertExact();
    });
    await fc.assert(property, { ...runs, endOnFailure: true });
  });
});
