// Random writes of rows with indexes against a plain model: one writer, one whose answers are lost, and two that interleave. After each transaction the index rows are those that a rebuild
// would give, and no two rows have one unique key.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Db, type NewOf, type Of, PatternError } from '#patterns';
import { encodeIndexRow } from '#patterns/internals';
import { bags } from '#patterns/mixed';
import { lawOfTurns } from '../../../../packages/patterns/testing/law.js';
import { disturbed, FaultyClient } from '../../support/faulty-client.js';
import { type People, Person } from '../../support/indexed-entity.js';
import { describePeers, fresh } from '../../support/peers.js';
import { chanceOf } from '../../support/seeded.js';

type Value = Of<typeof Person>;
type Model = ReadonlyMap<number, Value>;

const NAMES = [
  'create',
  'replace',
  'replace any',
  'merge',
  'merge any',
  'upsert',
  'upsertMerge',
  'delete',
  'delete any',
  'deleteIfExists',
  'swap',
] as const;

interface Command {
  readonly name: (typeof NAMES)[number];
  readonly id: number;
  readonly other: number;
  readonly email: string | undefined;
  readonly last: string;
  readonly badge: number | undefined;
}

const command: fc.Arbitrary<Command> = fc.record({
  name: fc.constantFrom(...NAMES),
  id: fc.integer({ min: 1, max: 3 }),
  other: fc.integer({ min: 1, max: 3 }),
  email: fc.constantFrom(undefined, 'a', 'A', 'b', 'c'),
  last: fc.constantFrom('x', 'y'),
  badge: fc.constantFrom(undefined, 1, 2),
});
const commands = fc.array(command, { minLength: 1, maxLength: 14 });
const without = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;

const personOf = (department: string, { id, email, last, badge }: Command): Value =>
  without({ department, id, email, last, badge });

/** Whether another row has the same email, as it is compared. */
const isTaken = (model: Model, { id, email }: Value): boolean =>
  email !== undefined &&
  [...model.values()].some(each => each.id !== id && each.email?.toLowerCase() === email.toLowerCase());

/** The model afterwards, or the code of the error. */
function expected(model: Model, department: string, step: Command): Model | string {
  const { name, id, other, email, last } = step;
  const value = personOf(department, step);
  const now = model.get(id);
  const set = (next: Value): Model | string =>
    isTaken(model, next) ? 'UniqueViolation' : new Map(model).set(id, next);
  const gone = (): Model => new Map([...model].filter(([each]) => each !== id));
  if (name === 'swap') {
    const there = model.get(other);
    if (now === undefined || there === undefined || id === other) return model;
    const swapped = new Map(model).set(id, without({ ...now, email: there.email }));
    return swapped.set(other, without({ ...there, email: now.email }));
  }
  if (name === 'create') return now === undefined ? set(value) : 'AlreadyExists';
  if (name === 'upsert') return set(value);
  if (name === 'upsertMerge') return set({ ...now, ...value });
  if (name === 'deleteIfExists') return gone();
  if (now === undefined) return 'NotFound';
  if (name.startsWith('replace')) return set(value);
  if (name === 'merge') return set(without({ ...now, email, last }));
  if (name === 'merge any') return set({ ...now, ...(email !== undefined && { email }), last });
  return gone();
}

/** The same in the table. A row that a writer must have read and is not there is NotFound, as the service would say. */
async function run(db: Db, people: People, department: string, step: Command): Promise<unknown> {
  const { name, id, other, email, last } = step;
  const key = { department, id };
  const any = { key, etag: '*' };
  const value: NewOf<typeof Person> = personOf(department, step);
  if (name === 'create') return people.create(value);
  if (name === 'upsert') return people.upsert(value);
  if (name === 'upsertMerge') return people.upsertMerge(value);
  if (name === 'deleteIfExists') return people.deleteIfExists(any);
  if (name === 'replace any') return people.replace(any, value);
  if (name === 'merge any') return people.merge(any, { email, last });
  if (name === 'delete any') return people.delete(any);
  const row = await people.get(key);
  if (name === 'swap') {
    const there = await people.get({ department, id: other });
    if (row === undefined || there === undefined || id === other) return undefined;
    const batch = db.batch(Person, { department }, { table: people.table });
    return batch
      .merge(Person, row, { email: there.value.email ?? null })
      .merge(Person, there, { email: row.value.email ?? null })
      .commit();
  }
  if (row === undefined) throw new PatternError('NotFound', { table: '', partitionKey: '', rowKey: '' });
  if (name === 'replace') return people.replace(row, value);
  if (name === 'merge') return people.merge(row, { email: email ?? null, last });
  return people.delete(row);
}

/** `done`, or the code of the error: of a batch, that of its cause. */
async function outcomeOf(act: Promise<unknown>): Promise<string> {
  try {
    await act;
    return 'done';
  } catch (thrown) {
    if (!PatternError.is(thrown)) throw thrown;
    return thrown.code === 'BatchFailed' ? thrown.detail.reason : thrown.code;
  }
}

/** All of a partition by one request, which sees each transaction whole or not at all. */
async function snapshot(db: Db, table: string, department: string) {
  const { items } = await bags(db, table).partition(department).page({ size: 1_000 });
  const people = new Map<number, Value>();
  const rows: string[] = [];
  for (const { rowKey, properties, tag } of items) {
    const get = (name: string): unknown => properties.get(name)?.value;
    if (tag === 'Person.1') {
      const id = Number(rowKey.slice('person!'.length));
      const value = { department, id, last: get('last'), email: get('email'), badge: get('badge') };
      people.set(id, without(value) as Value);
    } else
      rows.push([rowKey, ...[...properties].map(([name, { value }]) => `${name}=${value}`).sort()].join(' '));
  }
  const rebuilt = [...people.values()].flatMap(value =>
    Person.plan.indexes.flatMap(index => {
      const row = encodeIndexRow(index, value);
      const texts = row?.properties.map(({ name, literal }) => `${name}=${String(JSON.parse(literal))}`);
      return row === undefined ? [] : [[row.rowKey, ...(texts ?? []).sort()].join(' ')];
    }),
  );
  return { people, rows: rows.toSorted(), rebuilt: rebuilt.toSorted() };
}

describePeers('random writes of rows with indexes', peer => {
  const noWait = async (): Promise<void> => undefined;
  let departments = 0;
  const size = { cost: 100, least: 10, most: 300, filter: 'indexes/indexed-model' };

  async function exact(db: Db, table: string, department: string): Promise<Model> {
    const { people, rows, rebuilt } = await snapshot(db, table, department);
    assert.deepEqual(rows, rebuilt);
    return people;
  }

  test('leave what a rebuild would give, and give the outcomes of a plain model', async () => {
    const { db, table, repo: people } = await fresh(peer, Person, { sleep: noWait });
    const property = fc.asyncProperty(commands, async steps => {
      const department = `d${departments++}`;
      let model: Model = new Map();
      for (const step of steps) {
        const after = expected(model, department, step);
        const outcome = await outcomeOf(run(db, people, department, step));
        assert.equal(outcome, typeof after === 'string' ? after : 'done', JSON.stringify(step));
        if (typeof after !== 'string') model = after;
        assert.deepEqual(sorted(await exact(db, table, department)), sorted(model), JSON.stringify(step));
      }
    });
    await lawOfTurns(property, size);
  });

  test('do so when requests and answers are lost', async () => {
    const table = await peer.newTable();
    const clean = peer.open();
    let unknown = 0;
    let known = 0;
    const property = fc.asyncProperty(commands, fc.integer(), async (steps, seed) => {
      const department = `d${departments++}`;
      const httpClient = new FaultyClient(disturbed(0.3, chanceOf(seed)));
      const db = peer.open({ httpClient, sleep: noWait });
      const people = db.repo(Person, { table });
      let model: Model = new Map();
      for (const step of steps) {
        const after = expected(model, department, step);
        const outcome = await outcomeOf(run(db, people, department, step));
        const now = await exact(clean, table, department);
        const wasRead = outcome === 'Unreachable' || outcome === 'Throttled' || outcome === 'ServiceRefused';
        if (outcome === 'OutcomeUnknown') {
          unknown++;
          const possible = typeof after === 'string' ? [model] : [model, after];
          assert(
            possible.some(each => isSame(each, now)),
            JSON.stringify(step),
          );
          model = now;
        } else if (wasRead) assert(isSame(model, now), `${outcome}: ${JSON.stringify(step)}`);
        else {
          known++;
          assert.equal(outcome, typeof after === 'string' ? after : 'done', JSON.stringify(step));
          if (typeof after !== 'string') model = after;
          assert.deepEqual(sorted(now), sorted(model), JSON.stringify(step));
        }
      }
    });
    await lawOfTurns(property, size);
    // Of the few cases of npm test, most may be unlucky.
    const isLong = process.env.SHELFMARK_LONG !== undefined;
    assert(!isLong || known > 20 * unknown, `${unknown} outcomes are unknown, and ${known} known`);
  });
});

const sorted = (model: Model): unknown =>
  [...model].sort(([a], [b]) => a - b).map(([, value]) => Object.entries(value).sort());

const isSame = (a: Model, b: Model): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
