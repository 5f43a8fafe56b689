// Histories of one row under optimistic concurrency: several programs read, create, replace and mutate it while requests and answers get lost. All answers must have one order in which they can
// have been given: the search is the simulation's, the model is one label, which each write makes anew.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PatternError, type Repo, type StoredOf } from '#patterns';
import { type Invocation, linearize, type Model } from '../../../simulation/judge/linearize.js';
import { anna, Employee } from '../../support/employee.js';
import { disturbed, FaultyClient } from '../../support/faulty-client.js';
import { describePeers, nextTurn } from '../../support/peers.js';
import { chanceOf, repeatBy, SEED } from '../../support/seeded.js';

const PROGRAMS = 4;
const STEPS = 8;
const HISTORIES = process.env.SHELFMARK_LONG === undefined ? 2 : 60;
/** Of all requests, in parts of one. */
const FAULTY = 0.15;

/** The label of the row; undefined if there is none. */
type Label = string | undefined;
type Row = StoredOf<typeof Employee>;

/** What was asked of the row, and what came of it. `from` is the label of the row that the call was made from. */
interface Question {
  readonly kind: 'get' | 'create' | 'replace' | 'mutate';
  readonly from: Label;
  readonly to: Label;
  /** `unknown` is checked as `done`, if it happened. */
  readonly outcome: string;
}

/** Refusals report the row's state; any other failure means that nothing was applied. */
function refused(state: Label, { from, outcome }: Question): readonly Label[] {
  const isSo =
    outcome === 'AlreadyExists'
      ? state !== undefined
      : outcome === 'NotFound'
        ? state === undefined
        : outcome !== 'Conflict' || (state !== undefined && state !== from);
  return isSo ? [state] : [];
}

function done(state: Label, { kind, from, to, outcome }: Question): readonly Label[] {
  // The caller does not learn from which row a change with an unknown outcome was made.
  if (kind === 'mutate' && outcome === 'unknown') return [to];
  if (kind === 'create') return state === undefined ? [to] : [];
  return state === from ? [to] : [];
}

const ROW: Model<Label, Question> = {
  initial: undefined,
  key: label => label ?? '',
  apply: (state, question) =>
    question.outcome === 'done' || question.outcome === 'unknown'
      ? done(state, question)
      : refused(state, question),
};

// An upsert has no condition: a retry may follow another writer's write, and be applied twice. Deletes leave no trace of their writer: docs/patterns/retries.md.
const KINDS = ['get', 'create', 'replace', 'replace', 'mutate', 'mutate'] as const;
const key = { department: anna.department, id: anna.id };

/** One call of a program that read or wrote this row last. Gives the row as it knows it then, and which one it was made from. */
async function act(
  rows: Repo<typeof Employee>,
  kind: Question['kind'],
  held: Row | undefined,
  label: string,
) {
  const value = { ...anna, note: label };
  if (kind === 'create') return { row: await rows.create(value), from: undefined };
  if (kind === 'replace' && held !== undefined)
    return { row: await rows.replace(held, value), from: held.value.note };
  if (kind !== 'mutate') {
    const row = await rows.get(key);
    return { row, from: row?.value.note };
  }
  // An attempt whose answer was lost may have been applied, and the next attempt may find it: the row shows what it was made from.
  const change = (now: Row['value'] | undefined) => ({ ...value, name: now?.note ?? 'none' });
  const row = await rows.mutate(key, change, { attempts: 50 });
  const { name } = row?.value ?? assert.fail();
  return { row, from: name === 'none' ? undefined : name };
}

describePeers('histories of a row', peer => {
  /** The calls of one history. `isCareless` plants a fault: a replace takes whatever is there. */
  async function historyOf(seed: number, isCareless: boolean): Promise<readonly Invocation<Question>[]> {
    const table = await peer.newTable();
    const calls: Invocation<Question>[] = [];
    let time = 0;
    const program = async (name: number): Promise<void> => {
      const chance = chanceOf(seed * PROGRAMS + name);
      const httpClient = new FaultyClient(disturbed(FAULTY, chance));
      const rows = peer.open({ httpClient, sleep: nextTurn }).repo(Employee, { table });
      let held: Row | undefined;
      for (let step = 0; step < STEPS; step++) {
        const chosen = KINDS[Math.floor(chance() * KINDS.length)] ?? 'get';
        const kind = held === undefined && chosen === 'replace' ? 'get' : chosen;
        const label = `${name}.${step}`;
        const invoked = time++;
        let [outcome, from] = ['done', held?.value.note];
        try {
          ({ row: held, from } = await act(
            rows,
            kind,
            held && isCareless ? { ...held, etag: '*' } : held,
            label,
          ));
        } catch (thrown) {
          if (!PatternError.is(thrown)) throw thrown;
          held = undefined;
          outcome = thrown.code === 'OutcomeUnknown' ? 'unknown' : thrown.code;
        }
        const question = { kind, from, to: kind === 'get' ? from : label, outcome };
        const required = outcome !== 'unknown';
        calls.push({ step: calls.length, invoked, answered: time++, required, question });
      }
    };
    await Promise.all(Array.from({ length: PROGRAMS }, (_, name) => program(name)));
    return calls;
  }

  test('have one order, whatever is lost', async () => {
    const outcomes = new Map<string, number>();
    for (let n = 0; n < HISTORIES; n++) {
      const calls = await historyOf(SEED + n, false);
      for (const { question } of calls)
        outcomes.set(question.outcome, (outcomes.get(question.outcome) ?? 0) + 1);
      const unexplained = linearize(calls, ROW);
      const told = unexplained && calls.find(({ invoked }) => invoked === unexplained.invoked);
      assert.equal(
        unexplained,
        undefined,
        `${JSON.stringify(told)}, of ${JSON.stringify(unexplained?.states)}. ${repeatBy('write/histories')}\n${calls.map(each => JSON.stringify(each)).join('\n')}`,
      );
    }
    assert((outcomes.get('done') ?? 0) > HISTORIES * PROGRAMS);
  });

  test('have none where a program replaces whatever is there', async () => {
    let found = 0;
    for (let n = 0; n < 20 && found === 0; n++)
      if (linearize(await historyOf(SEED + n, true), ROW) !== undefined) found++;
    assert(found > 0, `No order was refused. ${repeatBy('write/histories')}`);
  });
});
