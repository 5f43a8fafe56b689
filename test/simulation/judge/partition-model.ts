// One partition of one table as plain maps: what each call may answer and leave behind. The Table service's complete
// guarantees about entities, restated without a store.
import { createHash } from 'node:crypto';
import { tickOf } from '../../histories/tick.js';
import { type Expression, matches } from '../plan/expression.js';
import type { Property } from '../plan/value.js';
import { expectedContent } from './content.js';
import type { Answer, Level, Seen, Write } from './history.js';
import type { Model } from './linearize.js';

/** A version that no answer has revealed yet is identified by the step that wrote it. */
type Version = bigint | string;

interface Row {
  readonly properties: readonly Property[];
  readonly version: Version;
}

interface PartitionState {
  /** Whether the table exists. */
  readonly exists: boolean;
  readonly rows: ReadonlyMap<string, Row>;
  /** The highest version that each key is known to have had; it outlives the row and the table. */
  readonly floors: ReadonlyMap<string, bigint>;
}

interface Looking {
  readonly level: Level;
  readonly select: readonly string[] | undefined;
}

export type PartitionQuestion =
  | { readonly kind: 'create' | 'drop'; readonly happened: boolean }
  /** The table existed, or did not. */
  | { readonly kind: 'exists'; readonly exists: boolean }
  | {
      readonly kind: 'writes';
      readonly step: number;
      readonly writes: readonly Write[];
      readonly isBatch: boolean;
      readonly answer: Answer | undefined;
    }
  | (Looking & { readonly kind: 'get'; readonly key: string; readonly seen: Seen | undefined })
  | (Looking & {
      readonly kind: 'page';
      readonly partition: string;
      readonly filter: Expression | undefined;
      /** The keys that the page covers: from this one up to but not including that one. */
      readonly from: string;
      readonly until: string | undefined;
      readonly seen: readonly Seen[];
    });

const byName = (properties: Iterable<Property>): Property[] =>
  [...properties].sort(([a], [b]) => (a < b ? -1 : 1));
const merged = (old: readonly Property[], changes: readonly Property[]): Property[] =>
  byName(new Map([...old, ...changes]));

/** A row's version is that of an answer; undefined if it cannot be. One answer reveals the version of all rows of its commit. */
function bind(state: PartitionState, key: string, version: bigint | undefined): PartitionState | undefined {
  const held = state.rows.get(key)?.version;
  if (version === undefined || held === version) return state;
  if (typeof held !== 'string') return undefined;
  const rows = new Map(state.rows);
  const floors = new Map(state.floors);
  for (const [other, row] of state.rows) {
    if (row.version !== held) continue;
    if (version <= (floors.get(other) ?? 0n)) return undefined;
    rows.set(other, { ...row, version });
    floors.set(other, version);
  }
  return { ...state, rows, floors };
}

/** The outcome of one write: a refusal, or the row that it leaves, undefined for none. */
type Outcome =
  | { readonly kind: 'refused'; readonly code: string }
  | {
      readonly kind: 'done';
      readonly state: PartitionState;
      readonly image: readonly Property[] | undefined;
    };

const refused = (code: string): Outcome[] => [{ kind: 'refused', code }];

function conditional(state: PartitionState, write: Write): Outcome[] {
  const row = state.rows.get(write.key);
  if (!row) return refused('ResourceNotFound');
  const image =
    write.kind === 'delete'
      ? undefined
      : write.kind === 'merge'
        ? merged(row.properties, write.properties)
        : byName(write.properties);
  if (write.ifMatch === undefined || write.ifMatch === '*') return [{ kind: 'done', state, image }];
  const bound = bind(state, write.key, tickOf(write.ifMatch));
  const fails = refused('UpdateConditionNotSatisfied');
  if (!bound) return fails;
  const done: Outcome = { kind: 'done', state: bound, image };
  return typeof row.version === 'string' ? [done, ...fails] : [done];
}

function outcomes(state: PartitionState, write: Write): Outcome[] {
  if (!state.exists) return refused('TableNotFound');
  const row = state.rows.get(write.key);
  switch (write.kind) {
    case 'insert':
      return row ? refused('EntityAlreadyExists') : [{ kind: 'done', state, image: write.properties }];
    case 'insertOrReplace':
      return [{ kind: 'done', state, image: byName(write.properties) }];
    case 'insertOrMerge':
      return [{ kind: 'done', state, image: merged(row?.properties ?? [], write.properties) }];
    default:
      return conditional(state, write);
  }
}

type Writes = PartitionQuestion & { kind: 'writes' };

interface Progress {
  readonly state: PartitionState;
  readonly images: readonly (readonly Property[] | undefined)[];
}

function isThisRefusal(code: string, index: number, { answer, isBatch, writes }: Writes): boolean {
  if (!answer || answer.code !== code) return false;
  // Alone in its changeset a write is named only for what is found early.
  return isBatch && writes.length === 1
    ? (answer.index ?? 0) === 0
    : answer.index === (isBatch ? index : undefined);
}

/** Applies all images at once, at the one version of their commit. */
function commit({ state, images }: Progress, { writes, answer, step }: Writes): PartitionState[] {
  const rows = new Map(state.rows);
  const floors = new Map(state.floors);
  let common: bigint | undefined;
  for (const [i, { key }] of writes.entries()) {
    const properties = images[i];
    if (!properties) {
      rows.delete(key);
      continue;
    }
    const version = answer ? answer.versions[i] : undefined;
    if (answer) {
      if (version === undefined || version <= (floors.get(key) ?? 0n)) return [];
      common ??= version;
      if (version !== common) return [];
      floors.set(key, version);
    }
    rows.set(key, { properties, version: version ?? `?${step}` });
  }
  return [{ ...state, rows, floors }];
}

function write(before: PartitionState, question: Writes): PartitionState[] {
  const { writes, answer } = question;
  const found: PartitionState[] = [];
  let open: Progress[] = [{ state: before, images: [] }];
  for (const [index, each] of writes.entries()) {
    const next: Progress[] = [];
    for (const { state, images } of open) {
      for (const outcome of outcomes(state, each)) {
        if (outcome.kind === 'done') next.push({ state: outcome.state, images: [...images, outcome.image] });
        else if (isThisRefusal(outcome.code, index, question)) found.push(state);
      }
    }
    open = next;
  }
  if (answer?.code === undefined) found.push(...open.flatMap(progress => commit(progress, question)));
  return found;
}

function look(
  state: PartitionState,
  key: string,
  seen: Seen,
  { level, select }: Looking,
): PartitionState | undefined {
  const row = state.rows.get(key);
  if (!row || seen.key !== key || seen.content !== expectedContent(row.properties, level, select))
    return undefined;
  return bind(state, key, seen.version);
}

function readPage(state: PartitionState, question: PartitionQuestion & { kind: 'page' }): PartitionState[] {
  const { partition, filter, from, until, seen } = question;
  // It continues at a row, or after one that the page has: no RowKey has such a character.
  const isPlace = until === undefined || state.rows.has(until) || until.endsWith('\0');
  if (!state.exists || !isPlace) return [];
  const keys = [...state.rows.keys()]
    .filter(key => key >= from && (until === undefined || key < until))
    .sort();
  const expected = keys.filter(key => {
    const properties = state.rows.get(key)?.properties ?? [];
    return !filter || matches(filter, { partition, key, properties });
  });
  if (expected.length !== seen.length) return [];
  let bound: PartitionState | undefined = state;
  for (const [i, key] of expected.entries()) {
    const each = seen[i];
    bound = bound && each && look(bound, key, each, question);
  }
  return bound ? [bound] : [];
}

function apply(state: PartitionState, question: PartitionQuestion): PartitionState[] {
  switch (question.kind) {
    case 'create':
      if (state.exists === question.happened) return [];
      return question.happened ? [{ ...state, exists: true, rows: new Map() }] : [state];
    case 'drop':
      if (state.exists !== question.happened) return [];
      return question.happened ? [{ ...state, exists: false, rows: new Map() }] : [state];
    case 'exists':
      return state.exists === question.exists ? [state] : [];
    case 'writes':
      return write(state, question);
    case 'page':
      return readPage(state, question);
    case 'get': {
      if (!question.seen) return state.rows.has(question.key) ? [] : [state];
      const bound = look(state, question.key, question.seen, question);
      return bound ? [bound] : [];
    }
  }
}

const sums = new WeakMap<readonly Property[], string>();

/** Equal for equal properties. */
function sumOf(properties: readonly Property[]): string {
  const known = sums.get(properties);
  if (known !== undefined) return known;
  const sum = createHash('md5')
    .update(expectedContent(properties, 'minimalmetadata', undefined))
    .digest('base64');
  sums.set(properties, sum);
  return sum;
}

const keyOf = ({ exists, rows, floors }: PartitionState): string =>
  [
    exists,
    ...[...rows].map(([key, { version, properties }]) => `${key} ${version} ${sumOf(properties)}`).sort(),
    ...[...floors].map(([key, floor]) => `${key}=${floor}`).sort(),
  ].join('\n');

/** For people. */
function describeState({ exists, rows, floors }: PartitionState): string {
  const texts = [...rows].map(
    ([key, { version, properties }]) =>
      `${JSON.stringify(key)} at ${version}: ${expectedContent(properties, 'minimalmetadata', undefined)}`,
  );
  const lows = [...floors].map(([key, floor]) => `${JSON.stringify(key)}=${floor}`);
  return `${exists ? 'table' : 'no table'} {${texts.sort().join('; ')}} above {${lows.sort().join(' ')}}`;
}

export const PARTITION_MODEL: Model<PartitionState, PartitionQuestion> = {
  initial: { exists: false, rows: new Map(), floors: new Map() },
  key: keyOf,
  describe: describeState,
  apply,
};
