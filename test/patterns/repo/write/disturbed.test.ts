// Single writers that use the whole vocabulary while three of ten requests are disturbed, in six ways: what each has in mind is what the rows are, at every step. Others'
// rows stand in the same partitions, so that batches and queries meet them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Db, type Of, PatternError, type Repo, type StoredOf } from '#patterns';
import { change, type WriteReport, writeAll } from '#patterns/bulk';
import { anna, Employee } from '../../support/employee.js';
import { disturbed, FaultyClient } from '../../support/faulty-client.js';
import { describePeers, fresh } from '../../support/peers.js';
import { chanceOf, repeatBy, SEED } from '../../support/seeded.js';

type Value = Of<typeof Employee>;

const WRITERS = 4;
const IDS = 3;
/** Of each writer. */
const STEPS = Number(process.env.DISTURBED_STEPS ?? (process.env.SHELFMARK_LONG === undefined ? 12 : 120));
const SHARE = 0.3;

const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** What may be there: one value, or two where an outcome is not known. */
type Possible = readonly (Value | undefined)[];

const without = ({ note: _, ...value }: Value): Value => value;

describePeers('disturbed writers', peer => {
  test('know what their rows are', async () => {
    const { table, repo: clean } = await fresh(peer, Employee);
    const repeat = repeatBy('write/disturbed');
    let unknown = 0;

    const writer = async (department: string): Promise<void> => {
      const chance = chanceOf(SEED + Number(department.slice(1)));
      const below = (count: number): number => Math.floor(chance() * count);
      const httpClient = new FaultyClient(disturbed(SHARE, chance));
      const db = peer.open({ httpClient, sleep: nextTurn });
      const rows = db.repo(Employee, { table });
      const model = new Map<number, Possible>();

      for (let step = 0; step < STEPS; step++) {
        const id = below(IDS);
        const key = { department, id };
        const before = await clean.get(key);
        const possible = model.get(id) ?? [undefined];
        const now = before?.value;
        assert(
          possible.some(each => JSON.stringify(each && sorted(each)) === JSON.stringify(now && sorted(now))),
          `${department} ${id} at ${step}: ${JSON.stringify(now && sorted(now))} is none of ${possible.map(each => JSON.stringify(each && sorted(each)))}. ${repeat}`,
        );
        const name = `${step}`;
        const value: Value = { ...anna, department, id, name, ...(below(2) === 0 && { note: name }) };
        const choice = OPERATIONS[below(OPERATIONS.length)];
        assert(choice);
        const after = choice.after(now, value);
        try {
          await choice.run({ rows, db, table, key, before, value });
          model.set(id, [after]);
        } catch (thrown) {
          if (!PatternError.is(thrown)) throw thrown;
          if (thrown.code === 'OutcomeUnknown') unknown++;
          model.set(id, thrown.code === 'OutcomeUnknown' ? [now, after] : [now]);
          const isRight = choice.refusal(now) === thrown.code || UNHEARD.has(thrown.code);
          assert(isRight, `${choice.name} of ${now && 'a row'}: ${thrown}. ${repeat}`);
          continue;
        }
        // When a retried delete finds no row, its author is unknown: docs/patterns/retries.md.
        if (choice.name !== 'delete')
          assert.equal(choice.refusal(now), undefined, `${choice.name} was done. ${repeat}`);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, n) => writer(`w${n}`)));
    assert(unknown <= (WRITERS * STEPS) / 4, `${unknown} outcomes are not known.`);
  });
});

/** The service was not heard, which says nothing of the row. */
const UNHEARD: ReadonlySet<string> = new Set([
  'Unreachable',
  'Throttled',
  'ServiceRefused',
  'OutcomeUnknown',
]);

const sorted = (value: Value): unknown =>
  Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => [name, String(each)])
    .sort();

interface Step {
  readonly rows: Repo<typeof Employee>;
  readonly db: Db;
  readonly table: string;
  readonly key: { readonly department: string; readonly id: number };
  readonly before: StoredOf<typeof Employee> | undefined;
  readonly value: Value;
}

interface Operation {
  readonly name: string;
  run(step: Step): Promise<unknown>;
  /** The row afterwards. */
  after(now: Value | undefined, value: Value): Value | undefined;
  /** The code of the refusal, where the row is so. */
  refusal(now: Value | undefined): string | undefined;
}

const never = (): undefined => undefined;
const ifThere = (now: Value | undefined): string | undefined => (now ? undefined : 'NotFound');
const ifNotThere = (now: Value | undefined): string | undefined => (now ? 'AlreadyExists' : undefined);

/** The row that is there, or one that is not. */
const target = ({ before, key }: Step) => before ?? { key, etag: '*' };
const anyOf = ({ key }: Step) => ({ key, etag: '*' });

async function only(reports: AsyncIterable<WriteReport>): Promise<void> {
  for await (const report of reports) if (report.kind === 'failed') throw report.error;
}

const becomes: Operation['after'] = (_, value) => value;

/** By their names: what is done, the row afterwards, and the refusal. */
const ACTS: Readonly<Record<string, readonly [Operation['run'], Operation['after'], Operation['refusal']]>> =
  {
    create: [({ rows, value }) => rows.create(value), becomes, ifNotThere],
    upsert: [({ rows, value }) => rows.upsert(value), becomes, never],
    upsertMerge: [
      ({ rows, value }) => rows.upsertMerge(value),
      (now, value) => ({ ...now, ...value }),
      never,
    ],
    replace: [
      step => step.rows.replace(target(step) as StoredOf<typeof Employee>, step.value),
      becomes,
      ifThere,
    ],
    'merge of what was read': [
      step =>
        step.before
          ? step.rows.merge(step.before, { name: step.value.name, note: null })
          : step.rows.merge(anyOf(step), { name: step.value.name }),
      (now, { name }) => now && without({ ...now, name }),
      ifThere,
    ],
    'merge of any': [
      step => step.rows.merge(anyOf(step), { name: step.value.name }),
      (now, { name }) => now && { ...now, name },
      ifThere,
    ],
    delete: [step => step.rows.delete(target(step) as StoredOf<typeof Employee>), never, ifThere],
    deleteIfExists: [step => step.rows.deleteIfExists(anyOf(step)), never, never],
    mutate: [({ rows, key, value }) => rows.mutate(key, () => value), becomes, never],
    bulk: [
      ({ db, table, value }) => only(writeAll(db, [change.upsert(Employee, value, { table })])),
      becomes,
      never,
    ],
    batch: [
      ({ db, table, key, value }) =>
        db
          .batch(Employee, key, { table })
          .upsert(Employee, value)
          .upsert(Employee, { ...value, id: 100 + value.id })
          .commit(),
      becomes,
      never,
    ],
  };

const OPERATIONS: readonly Operation[] = Object.entries(ACTS).map(([name, [run, after, refusal]]) => ({
  name,
  run,
  after,
  refusal,
}));
