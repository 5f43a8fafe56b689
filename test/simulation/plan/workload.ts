// Makes the plan of a run from its seed: which engine, with which faults, and the steps of all clients. Few tables,
// partitions and rows, so that the clients collide.
import { type Expression, type Keys, someExpression } from './expression.js';
import { withQueues } from './queue-workload.js';
import { Random } from './random.js';
import type { TableAction as Action, Match, Plan, Step, Write, WriteKind } from './step.js';
import { PROPERTY_NAMES, type Property, someProperties } from './value.js';

/** Ordered differently by code points and by UTF-16 units; with characters that URLs and literals escape. */
const PARTITIONS = [
  '',
  'a',
  'B',
  'a b',
  'é',
  '\u{1f600}',
  '\uff01',
  "o'hara",
  'p'.repeat(700),
  `${'p'.repeat(700)}q`,
];
const ROWS = ['', '0', '1', '10', '2', '9', 'a', 'é', '\u{1f600}', '\uff01', "'", 'a%20b', 'r'.repeat(1024)];
const LEVELS = ['nometadata', 'minimalmetadata', 'fullmetadata'] as const;
const LONG_ROWS = ['r'.repeat(1000), `${'r'.repeat(1000)}a`, `${'r'.repeat(1000)}b`];

type Settings = Pick<Plan, 'engine' | 'durability' | 'alone' | 'logsFirst' | 'sockets' | 'faults' | 'jumps'>;

/** By the last digits of the seed, so that any range of seeds has them all. */
function settingsOf(seed: number): Settings {
  const place = seed % 20;
  const jumps = seed % 3 === 0;
  const lmdb = (faults: boolean, sockets: boolean, durability: 'full' | 'none' = 'none'): Settings => ({
    engine: 'lmdb',
    durability,
    alone: Math.floor(seed / 20) % 2 === 0,
    logsFirst: Math.floor(seed / 40) % 4 !== 3,
    sockets,
    faults,
    jumps,
  });
  const memory = (faults: boolean, sockets: boolean): Settings => ({
    engine: 'memory',
    durability: 'none',
    alone: true,
    logsFirst: false,
    sockets,
    faults,
    jumps,
  });
  if (place === 0) return lmdb(false, false, 'full');
  if (place === 1) return lmdb(false, true);
  if (place === 2) return lmdb(true, false, 'full');
  if (place === 3) return lmdb(false, false, 'full');
  if (place < 6) return lmdb(false, false);
  if (place === 6) return lmdb(true, false, 'full');
  if (place < 9) return lmdb(true, false);
  if (place < 10) return memory(false, true);
  return memory(place < 14, false);
}

export interface WorkloadOptions {
  readonly random: Random;
  readonly tables: readonly string[];
  readonly keys: Keys;
  readonly isRush: boolean;
  /** Default: some of a few values. */
  readonly properties?: () => Property[];
}

/** The choice of actions on a few tables and rows. */
export class Workload {
  readonly #random: Random;
  readonly #tables: readonly string[];
  readonly #keys: Keys;
  readonly #isRush: boolean;
  readonly #properties: () => Property[];

  constructor({
    random,
    tables,
    keys,
    isRush,
    properties = () => someProperties(random, 4),
  }: WorkloadOptions) {
    this.#random = random;
    this.#tables = tables;
    this.#keys = keys;
    this.#isRush = isRush;
    this.#properties = properties;
  }

  /** Names of tables are compared without case. */
  #table(): string {
    const name = this.#random.happens(0.7) ? (this.#tables[0] ?? '') : this.#random.pick(this.#tables);
    return this.#random.happens(0.1) ? name.toUpperCase() : name;
  }

  #match(kind: WriteKind): Match {
    if (kind === 'insert' || kind === 'insertOrReplace' || kind === 'insertOrMerge') return 'absent';
    return this.#random.weighted([
      [6, 'last'],
      [3, 'any'],
      [2, 'earlier'],
      [0.5, 'foreign'],
      [0.15, 'malformed'],
      [kind === 'delete' ? 0.15 : 0, 'absent'],
    ] as const);
  }

  write(partition: string, key: string, kind?: WriteKind): Write {
    const chosen =
      kind ??
      this.#random.weighted([
        [5, 'insert'],
        [4, 'update'],
        [4, 'merge'],
        [5, 'insertOrReplace'],
        [5, 'insertOrMerge'],
        [3, 'delete'],
      ] as const);
    const properties = chosen === 'delete' ? [] : this.#properties();
    const free = PROPERTY_NAMES.filter(name => !properties.some(([held]) => held === name));
    return {
      kind: chosen,
      partition,
      key,
      properties,
      match: this.#match(chosen),
      nullName: this.#random.happens(0.1) ? this.#random.pick(free) : undefined,
      patches: (chosen === 'merge' || chosen === 'insertOrMerge') && this.#random.happens(0.4),
    };
  }

  /** Most contain upserts and conditions that may hold; some are refused for their form. */
  transaction(table = this.#table()): Action {
    const random = this.#random;
    const partition = random.pick(this.#keys.partitions);
    const keys = random.some(this.#keys.rows, random.between(1, this.#keys.rows.length));
    if (random.happens(0.3)) keys.reverse();
    // One failing write is enough to refuse them all, so most are always possible.
    const risk = random.pick([0, 0.1, 0.5]);
    const isSweep = random.happens(0.15);
    const writes = (isSweep ? random.some(keys, random.between(1, 3)) : keys).map((key): Write => {
      if (isSweep) return { ...this.write(partition, key, 'delete'), match: 'any' };
      const kind = random.happens(risk)
        ? undefined
        : random.pick(['insertOrReplace', 'insertOrMerge'] as const);
      return this.write(partition, key, kind);
    });
    const at = random.below(writes.length);
    const flawed = writes[at];
    if (flawed && random.happens(0.05)) writes.push({ ...flawed });
    if (flawed && random.happens(0.03)) writes[at] = { ...flawed, partition: `${partition}-` };
    return { kind: 'transaction', table, writes };
  }

  #select(): readonly string[] | undefined {
    if (this.#random.happens(0.75)) return undefined;
    const names = ['Timestamp', ...PROPERTY_NAMES, 'nothing'];
    return ['PartitionKey', 'RowKey', ...this.#random.some(names, this.#random.between(0, 3))];
  }

  #filter(): Expression | undefined {
    return this.#random.happens(0.35) ? undefined : someExpression(this.#random, this.#keys);
  }

  #query(): Action {
    const top = this.#random.happens(0.7) ? this.#random.between(1, 4) : undefined;
    return {
      kind: 'query',
      table: this.#table(),
      filter: this.#filter(),
      top: this.#random.happens(0.02) ? 0 : top,
      select: this.#select(),
    };
  }

  #get(): Action {
    const [partition, key] = [this.#random.pick(this.#keys.partitions), this.#random.pick(this.#keys.rows)];
    return {
      kind: 'get',
      table: this.#table(),
      isBatch: this.#random.happens(0.1),
      partition,
      key,
      select: this.#select(),
    };
  }

  #singleWrite(): Action {
    const { partitions, rows } = this.#keys;
    const write = this.write(this.#random.pick(partitions), this.#random.pick(rows));
    const prefer = this.#random.weighted([
      [6, undefined],
      [1, 'return-content'],
      [1, 'return-no-content'],
    ] as const);
    return { kind: 'write', table: this.#table(), write, prefer };
  }

  #aboutTables(): Action {
    const kind = this.#random.pick([
      'createTable',
      'createTable',
      'createTable',
      'createTable',
      'deleteTable',
      'getTable',
      'queryTables',
      'queryTables',
    ] as const);
    if (kind === 'queryTables')
      return { kind, top: this.#random.happens(0.5) ? this.#random.between(1, 2) : undefined };
    return { kind, table: this.#table() };
  }

  #aboutSettings(): Action {
    const ids = this.#random.some(['one', 'two', 'three'], this.#random.between(0, 3));
    return this.#random.pick<Action>([
      { kind: 'getAcl', table: this.#table() },
      { kind: 'setAcl', table: this.#table(), ids },
      { kind: 'getSettings' },
      { kind: 'setSettings', origin: `http://o${this.#random.below(1000)}` },
    ]);
  }

  /** On rows, mostly a write. */
  entityAction(): Action {
    return this.#random.weighted<() => Action>([
      [34, () => this.#singleWrite()],
      [14, () => this.transaction()],
      [2, () => this.#get()],
      [1, () => this.#query()],
      [1, () => ({ kind: 'nextPage' })],
    ])();
  }

  action({ engine, jumps }: Settings): Action {
    const isRush = this.#isRush;
    return this.#random.weighted<() => Action>([
      [34, () => this.#singleWrite()],
      [isRush ? 30 : 14, () => this.transaction()],
      [14, () => this.#get()],
      [isRush ? 30 : 14, () => this.#query()],
      [16, () => ({ kind: 'nextPage' })],
      [5, () => this.#aboutTables()],
      [4, () => this.#aboutSettings()],
      [jumps ? 4 : 0, () => ({ kind: 'jump', hours: this.#random.pick([-1, 1]) })],
      [engine === 'lmdb' ? 1 : 0, () => ({ kind: 'reopen' })],
      [engine === 'lmdb' ? 1 : 0, () => ({ kind: 'crash' })],
    ])();
  }
}

/** In some runs all clients want the same few rows at the same moment. */
function crowdOf(
  random: Random,
): Pick<Plan, 'partitions'> & { rows: string[]; clients: number; isRush: boolean } {
  const isRush = random.happens(0.3);
  const all = [...ROWS, ...(random.happens(0.3) ? LONG_ROWS : [])];
  return {
    isRush,
    partitions: random.some(PARTITIONS, isRush ? 1 : random.between(1, 3)),
    rows: random.some(all, isRush ? random.between(2, 4) : random.between(3, 8)),
    clients: isRush ? random.between(3, 5) : random.pick([1, 1, 2, 2, 3, 3, 4]),
  };
}

const isOfTables = ({ kind }: Action): boolean => kind === 'createTable' || kind === 'deleteTable';

export function planOf(seed: number): Plan {
  const random = new Random(seed);
  const settings = settingsOf(seed);
  const { isRush, partitions, rows, clients } = crowdOf(random);
  const tables = ['Alpha', 'Beta', 'Gamma'].slice(0, isRush ? 1 : random.between(1, 3));
  const workload = new Workload({ random, tables, keys: { partitions, rows }, isRush });
  const first: Action[] = tables.map(table => ({ kind: 'createTable', table }));
  if (random.happens(0.9)) first.push(workload.transaction(tables[0]));
  const length = random.between(25, 90);
  const steps: (Step & { readonly action: Action })[] = [];
  while (steps.length < length) {
    const last = steps.at(-1);
    // Now and then another client does the same at the same moment: one of them comes second.
    const likely = last && isOfTables(last.action) ? 0.4 : isRush ? 0.3 : 0.12;
    const rival = last && clients > 1 && random.happens(likely) ? last : undefined;
    const isAtOnce = rival !== undefined || (isRush && random.happens(0.8));
    steps.push({
      number: steps.length + 1,
      client: rival ? (rival.client + 1) % clients : random.below(clients),
      pause: isAtOnce ? 0 : random.pick([0, 0, 0, 0, 1, 1, 1, 3, 3, 8]),
      level: random.pick([...LEVELS, 'nometadata', 'minimalmetadata'] as const),
      credential: random.pick(['key', 'key', 'key', 'accountSas', 'tableSas'] as const),
      action: first[steps.length] ?? rival?.action ?? workload.action(settings),
    });
  }
  return { seed, ...settings, tables, partitions, ...withQueues(steps, seed) };
}
