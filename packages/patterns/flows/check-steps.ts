// Checks that the steps of a flow are idempotent, for tests of programs: runs each twice, and compares tables and other state after the first run and the second.
import { Db } from '../repo/open.js';
import { rowPages } from '../transport/row-source.js';
import { PatternError } from '../values/pattern-error.js';
import type { WireObject } from '../values/read-wire.js';
import { memberOf, propertyNames, textOf } from '../values/row-member.js';
import { inputToSend, type StepContext, upcastInput } from './definition.js';
import type { Flow } from './flow.js';

/** What is compared. */
interface CheckStepsOptions {
  /** Tables whose rows are compared, times and ETags apart. */
  readonly tables?: readonly string[];
  /** Properties that every write changes, such as times. */
  readonly ignore?: readonly string[];
  /** What stands elsewhere: in blobs, files, or with a service that counts. Compared as JSON. */
  readonly observe?: () => unknown;
}

type Snapshot = ReadonlyMap<string, string>;

async function rowsOf(db: Db, table: string, ignored: ReadonlySet<string>): Promise<Snapshot> {
  const { requests } = Db.serviceOf(db);
  const rows = new Map<string, string>();
  for await (const page of rowPages(requests, { table }))
    for (const row of page) rows.set(addressIn(table, row), contentOf(row, ignored));
  return rows;
}

const addressIn = (table: string, row: WireObject): string =>
  `${table}('${textOf(row, 'PartitionKey')}', '${textOf(row, 'RowKey')}')`;

const contentOf = (row: WireObject, ignored: ReadonlySet<string>): string =>
  JSON.stringify(
    propertyNames(row)
      .filter(name => !ignored.has(name))
      .sort()
      .map(name => [name, memberOf(row, name)]),
  );

/** What differs first; undefined if nothing does. */
function difference(before: Snapshot, after: Snapshot): string | undefined {
  for (const [name, content] of after) {
    const was = before.get(name);
    if (was === undefined) return `${name} came`;
    if (was !== content) return `${name} was ${was} and became ${content}`;
  }
  const gone = [...before.keys()].find(name => !after.has(name));
  return gone && `${gone} went`;
}

/** Runs each step twice with the same input and id. Throws NotIdempotent for one that does something else the second time, and what a step throws. */
export async function checkSteps<I, O>(
  db: Db,
  { definition }: Flow<I, O>,
  input: I,
  { tables = [], ignore = [], observe = () => undefined }: CheckStepsOptions = {},
): Promise<void> {
  const { operationIds } = Db.serviceOf(db);
  const ignored = new Set([...ignore, ...(operationIds ? [operationIds.property] : [])]);
  const snapshot = async (): Promise<Snapshot> => {
    const all = new Map([['what is observed', JSON.stringify(await observe()) ?? 'nothing']]);
    for (const table of tables)
      for (const [name, content] of await rowsOf(db, table, ignored)) all.set(name, content);
    return all;
  };
  const given = upcastInput(definition, inputToSend(definition, input), definition.version);
  for (const step of definition.steps) {
    const run = async (attempt: number): Promise<Snapshot> => {
      const context: StepContext = {
        db,
        id: 'check-steps',
        attempt,
        signal: new AbortController().signal,
        operationId: undefined,
        deletes: false,
        note: () => undefined,
      };
      await step.run(given, context);
      return snapshot();
    };
    const reason = difference(await run(1), await run(2));
    if (reason === undefined) continue;
    const sentence = `The step ${step.name} of ${definition.name} did something else the second time: ${reason}.`;
    throw new PatternError('NotIdempotent', { flow: definition.name, step: step.name, reason }, { sentence });
  }
}
