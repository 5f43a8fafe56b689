// Makes the plan of a run from its seed: which engine, with which faults, and the steps of all clients. Few tables,
// partitions and rows, so that the clients collide.
import fc from 'fast-check';
import {
  below,
  between,
  chance,
  drawFrom,
  from,
  maybe,
  oneOf,
  seldom,
  several,
  weighted,
} from '../../random/arbitrary.js';
import type { Match, Write, WriteKind, WritesCall } from '../judge/history.js';
import { type Keys, someExpression } from './expression.js';
import { withQueues } from './queue-workload.js';
import type { TableAction as Action, Plan, Step } from './step.js';
import { PROPERTY_NAMES, type Property, someProperties } from './value.js';

/** Ordered differently by code points and by UTF-16 units; with characters that URLs and literals escape. */
const PARTITIONS = [
  ...['', 'a', 'B', 'a b', 'é', '\u{1f600}', '\uff01', "o'hara", '__proto__'],
  ...['p'.repeat(700), `${'p'.repeat(700)}q`],
];
const ROWS = [
  ...['', '0', '1', '10', '2', '9', 'a', 'é', '\u{1f600}', '\uff01', "'", 'a%20b', 'r'.repeat(1024)],
  'toString',
];
const LEVELS = ['nometadata', 'minimalmetadata', 'fullmetadata'] as const;
const LONG_ROWS = ['r'.repeat(1000), `${'r'.repeat(1000)}a`, `${'r'.repeat(1000)}b`];

type Settings = Pick<Plan, 'engine' | 'durability' | 'alone' | 'logsFirst' | 'faults' | 'jumps'>;

/** By the last digits of the seed, so that any range of seeds has them all. */
function settingsOf(seed: number): Settings {
  const place = seed % 20;
  const jumps = seed % 3 === 0;
  const isFull = [0, 2, 3, 6].includes(place);
  if (place >= 9)
    return {
      engine: 'memory',
      durability: 'none',
      alone: true,
      logsFirst: false,
      faults: place >= 10 && place < 14,
      jumps,
    };
  return {
    engine: 'lmdb',
    durability: isFull ? 'full' : 'none',
    alone: Math.floor(seed / 20) % 2 === 0,
    logsFirst: Math.floor(seed / 40) % 4 !== 3,
    faults: place === 2 || place >= 6,
    jumps,
  };
}

interface WorkloadOptions {
  readonly tables: readonly string[];
  readonly keys: Keys;
  /** Default: some of a few values. */
  readonly properties?: fc.Arbitrary<Property[]>;
}

/** The actions on a few tables and rows. */
export interface Workload {
  readonly write: fc.Arbitrary<Action>;
  readonly transaction: fc.Arbitrary<WritesCall>;
  readonly get: fc.Arbitrary<Action>;
  readonly query: fc.Arbitrary<Action>;
}

const MATCHES = weighted<Match>(
  [120, 'last'],
  [60, 'any'],
  [40, 'earlier'],
  [10, 'foreign'],
  [3, 'malformed'],
  [3, 'absent'],
);
const KINDS = weighted<WriteKind>(
  [5, 'insert'],
  [4, 'update'],
  [4, 'merge'],
  [5, 'insertOrReplace'],
  [5, 'insertOrMerge'],
  [3, 'delete'],
);
const UPSERTS = from<WriteKind>(['insertOrReplace', 'insertOrMerge']);
/** One failing write is enough to refuse a transaction, so most are always possible: of a hundred writes, so many may fail. */
const RISKS = [0, 10, 50];

function matchOf(kind: WriteKind, drawn: Match): Match {
  if (kind === 'insert' || kind === 'insertOrReplace' || kind === 'insertOrMerge') return 'absent';
  return drawn === 'absent' && kind !== 'delete' ? 'last' : drawn;
}

type Content = Omit<Write, 'partition' | 'key'>;

const contentOf = (
  kinds: fc.Arbitrary<WriteKind>,
  properties: fc.Arbitrary<Property[]>,
): fc.Arbitrary<Content> =>
  fc
    .tuple(kinds, properties, MATCHES, maybe(10, below(PROPERTY_NAMES.length)), chance(40))
    .map(([kind, some, match, nullAt, isPatch]) => {
      const held = kind === 'delete' ? [] : some;
      const free = PROPERTY_NAMES.filter(name => !held.some(([other]) => other === name));
      return {
        kind,
        properties: held,
        match: matchOf(kind, match),
        nullName: nullAt === undefined ? undefined : free[nullAt % free.length],
        patches: isPatch && (kind === 'merge' || kind === 'insertOrMerge'),
      };
    });

const SWEPT = { kind: 'delete', properties: [], match: 'any', nullName: undefined, patches: false } as const;

/** Most contain upserts and conditions that may hold; some are refused for their form. */
function transactionOf(
  table: fc.Arbitrary<string>,
  { partitions, rows }: Keys,
  properties: fc.Arbitrary<Property[]>,
): Workload['transaction'] {
  const all = { minLength: rows.length, maxLength: rows.length };
  const contents = oneOf(
    ...RISKS.map(risk => [1, fc.array(contentOf(seldom(risk, KINDS, UPSERTS), properties), all)] as const),
  );
  const parts = { table, partition: from(partitions), keys: fc.subarray([...rows], { minLength: 1 }) };
  const ways = { isReversed: chance(30), swept: maybe(15, between(1, 3)), at: below(rows.length) };
  const flaws = { isTwice: chance(5), isElsewhere: chance(3) };
  return fc.record({ ...parts, contents, ...ways, ...flaws }).map(drawn => {
    const { table, partition, contents, swept } = drawn;
    const keys = (drawn.isReversed ? drawn.keys.toReversed() : drawn.keys).slice(0, swept);
    const writes = keys.map(
      (key, at): Write => ({
        ...(swept === undefined ? (contents[at] ?? SWEPT) : SWEPT),
        partition,
        key,
      }),
    );
    const at = drawn.at % writes.length;
    const flawed = writes[at];
    if (flawed && drawn.isTwice) writes.push({ ...flawed });
    if (flawed && drawn.isElsewhere) writes[at] = { ...flawed, partition: `${partition}-` };
    return { kind: 'writes', table, writes, isBatch: true, prefer: undefined };
  });
}

/** Names of tables are compared without case. */
const tableOf = (tables: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(seldom(30, from(tables), fc.constant(tables[0] ?? '')), chance(10))
    .map(([name, isUpper]) => (isUpper ? name.toUpperCase() : name));

export function workloadOf({ tables, keys, properties = someProperties(4) }: WorkloadOptions): Workload {
  const table = tableOf(tables);
  const [partition, key] = [from(keys.partitions), from(keys.rows)];
  const names = fc.subarray(['Timestamp', ...PROPERTY_NAMES, 'nothing'], { maxLength: 3 });
  const select = maybe(
    25,
    names.map(some => ['PartitionKey', 'RowKey', ...some]),
  );
  const prefer = weighted([6, undefined], [1, 'return-content'], [1, 'return-no-content']);
  const get = { kind: fc.constant('get'), table, isBatch: chance(10), partition, key, select };
  const top = oneOf<number | undefined>(
    [69, between(1, 4)],
    [29, fc.constant(undefined)],
    [2, fc.constant(0)],
  );
  const filter = maybe(65, someExpression(keys));
  return {
    write: fc
      .tuple(table, partition, key, contentOf(KINDS, properties), prefer)
      .map(([table, partition, key, content, prefer]) => {
        const writes = [{ ...content, partition, key }];
        const preferred = content.kind === 'insert' ? prefer : undefined;
        return { kind: 'writes', table, writes, isBatch: false, prefer: preferred };
      }),
    transaction: transactionOf(table, keys, properties),
    get: fc.record(get),
    query: fc.record({ kind: fc.constant('page'), table, filter, top, select, from: fc.constant(undefined) }),
  };
}

/** The call for the page after the client's last one. */
export const nextPage: fc.Arbitrary<Action> = fc.constant({ kind: 'nextPage' });

const onTable = (kind: 'createTable' | 'deleteTable' | 'getTable' | 'getAcl', table: fc.Arbitrary<string>) =>
  table.map((table): Action => ({ kind, table }));

const onTables = (table: fc.Arbitrary<string>): fc.Arbitrary<Action> =>
  oneOf(
    [4, onTable('createTable', table)],
    [1, onTable('deleteTable', table)],
    [1, onTable('getTable', table)],
    [2, maybe(50, between(1, 2)).map(top => ({ kind: 'queryTables', top, from: undefined }))],
  );

const onSettings = (table: fc.Arbitrary<string>): fc.Arbitrary<Action> => {
  const ids = fc.subarray(['one', 'two', '__proto__']);
  return oneOf<Action>(
    [1, onTable('getAcl', table)],
    [1, fc.record({ kind: fc.constant('setAcl'), table, ids })],
    [1, fc.constant({ kind: 'getSettings' })],
    [1, below(1000).map(number => ({ kind: 'setSettings', origin: `http://o${number}` }))],
  );
};

function actionsOf(
  { engine, jumps }: Settings,
  { isRush, tables }: Crowd,
  work: Workload,
): fc.Arbitrary<Action> {
  const table = tableOf(tables);
  const lasting = engine === 'lmdb' ? 1 : 0;
  return oneOf<Action>(
    [34, work.write],
    [isRush ? 30 : 14, work.transaction],
    [14, work.get],
    [isRush ? 30 : 14, work.query],
    [16, nextPage],
    [5, onTables(table)],
    [4, onSettings(table)],
    [jumps ? 4 : 0, from([-1, 1]).map(hours => ({ kind: 'jump', hours }))],
    [lasting, fc.constant({ kind: 'reopen' })],
    [lasting, fc.constant({ kind: 'crash' })],
  );
}

interface Crowd {
  /** All clients want the same few rows at the same moment. */
  readonly isRush: boolean;
  readonly tables: readonly string[];
  readonly partitions: readonly string[];
  readonly rows: readonly string[];
  readonly clients: number;
}

const TABLES = ['Alpha', 'constructor', 'Gamma'];
const rowsOf = (minLength: number, maxLength: number): fc.Arbitrary<string[]> =>
  seldom(
    30,
    fc.subarray([...ROWS, ...LONG_ROWS], { minLength, maxLength }),
    fc.subarray(ROWS, { minLength, maxLength }),
  );
const crowds: fc.Arbitrary<Crowd> = seldom<Crowd>(
  30,
  fc.record({
    isRush: fc.constant(true),
    tables: fc.constant(TABLES.slice(0, 1)),
    partitions: fc.subarray(PARTITIONS, { minLength: 1, maxLength: 1 }),
    rows: rowsOf(2, 4),
    clients: between(3, 5),
  }),
  fc.record({
    isRush: fc.constant(false),
    tables: between(1, 3).map(count => TABLES.slice(0, count)),
    partitions: fc.subarray(PARTITIONS, { minLength: 1, maxLength: 3 }),
    rows: rowsOf(3, 8),
    clients: from([1, 1, 2, 2, 3, 3, 4]),
  }),
);

const isOfTables = ({ kind }: Action): boolean => kind === 'createTable' || kind === 'deleteTable';

/** Now and then another client does the same as the one before at the same moment: one of them comes second. */
function withRivals(
  drawn: readonly (Step & { readonly action: Action; readonly luck: number; readonly isAtOnce: boolean })[],
  first: readonly Action[],
  { clients, isRush }: Crowd,
): (Step & { readonly action: Action })[] {
  const steps: (Step & { readonly action: Action })[] = [];
  for (const { luck, isAtOnce, ...step } of drawn) {
    const last = steps.at(-1);
    const likely = last && isOfTables(last.action) ? 40 : isRush ? 30 : 12;
    const rival = clients > 1 && luck < likely ? last : undefined;
    steps.push({
      ...step,
      number: steps.length + 1,
      client: rival ? (rival.client + 1) % clients : step.client,
      pause: rival || (isRush && isAtOnce) ? 0 : step.pause,
      action: first[steps.length] ?? rival?.action ?? step.action,
    });
  }
  return steps;
}

function stepsOf(settings: Settings, crowd: Crowd): fc.Arbitrary<(Step & { readonly action: Action })[]> {
  const { clients, tables, partitions, rows } = crowd;
  const work = workloadOf({ tables, keys: { partitions, rows } });
  const made = tables.map((table): Action => ({ kind: 'createTable', table }));
  const filled = maybe(90, work.transaction).map(first => [
    ...made,
    ...(first ? [{ ...first, table: tables[0] ?? '' }] : []),
  ]);
  const step = fc.record({
    number: fc.constant(0),
    client: below(clients),
    pause: from([0, 0, 0, 0, 1, 1, 1, 3, 3, 8]),
    level: from([...LEVELS, 'nometadata', 'minimalmetadata'] as const),
    credential: from(['key', 'key', 'key', 'accountSas', 'tableSas'] as const),
    action: actionsOf(settings, crowd, work),
    luck: below(100),
    isAtOnce: chance(80),
  });
  return fc.tuple(filled, several(step, 25, 90)).map(([first, drawn]) => withRivals(drawn, first, crowd));
}

export function planOf(seed: number): Plan {
  const settings = settingsOf(seed);
  const draw = drawFrom(seed);
  const crowd = draw(crowds);
  const { tables, partitions } = crowd;
  const steps = draw(stepsOf(settings, crowd));
  return { seed, ...settings, tables, partitions, ...withQueues(steps, draw) };
}
