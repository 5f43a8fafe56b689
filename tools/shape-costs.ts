// The cost of reads and writes of a row whose value is long, in several rows, in a blob or encrypted.
// docs/patterns/wide.md, docs/patterns/large.md and docs/patterns/encryption.md have the tables.
import { type Db, entity, key, t } from '#patterns';
import { contentKey, encrypted, encryption, keyRing, localKey } from '#patterns/encryption';
import { largeBytes, larges } from '#patterns/large';
import { wide, wideRepo } from '#patterns/wide';
import { COST_CONTAINER, COST_TABLE, type CostColumn, costTable, type Scene } from './cost-table.js';

type Values = Readonly<Record<string, unknown>>;

/** What the repositories of all shapes have. */
interface Rows<R = unknown> {
  create(value: Values): Promise<R>;
  get(key: Values): Promise<R | undefined>;
  replace(row: R, value: Values): Promise<R>;
  merge(row: R | { readonly key: Values; readonly etag: string }, patch: Values): Promise<unknown>;
  upsert(value: Values): Promise<unknown>;
  upsertMerge(value: Values): Promise<unknown>;
  mutate(key: Values, change: (value: Values) => Values): Promise<unknown>;
  delete(row: R): Promise<void>;
}

/** A row that was just created, and its values. */
interface Subject {
  readonly rows: Rows;
  readonly row: unknown;
  readonly id: number;
  readonly value: unknown;
  readonly other: unknown;
}

type Operation = readonly [title: string, run: (subject: Subject, db: Db) => Promise<unknown>];

const OPERATIONS: readonly Operation[] = [
  ['`create`', ({ rows, id, value }) => rows.create({ id: -id, value, note: 'n' })],
  ['`get`', ({ rows, id }) => rows.get({ id })],
  [
    '`replace` of what was read',
    ({ rows, row, id, other }) => rows.replace(row, { id, value: other, note: 'n' }),
  ],
  ['`merge` of the value', ({ rows, row, other }) => rows.merge(row, { value: other })],
  ['`merge` of another property', ({ rows, row }) => rows.merge(row, { note: 'new' })],
  [
    "`merge` of the value by `{ key, etag: '*' }`",
    ({ rows, id, other }) => rows.merge({ key: { id }, etag: '*' }, { value: other }),
  ],
  ['`upsert`', ({ rows, id, other }) => rows.upsert({ id, value: other, note: 'n' })],
  ['`upsertMerge`', ({ rows, id, other }) => rows.upsertMerge({ id, value: other, note: 'n' })],
  [
    '`mutate` of the value',
    ({ rows, id, other }) => rows.mutate({ id }, () => ({ id, value: other, note: 'n' })),
  ],
  ['`delete` of what was read', ({ rows, row }) => rows.delete(row)],
];

interface Shape {
  readonly title: string;
  rows(db: Db): unknown;
  readonly value: unknown;
  readonly other: unknown;
  /** Additional properties, which fill rows. */
  readonly more?: Values;
}

let ids = 0;

/** Rows of each line have an id of their own, so that none interferes with another. */
const columnOf = (
  { title, rows: opened, value, other, more = {} }: Shape,
  operations: readonly Operation[],
): CostColumn => ({
  title,
  prepare: async (db): Promise<Scene> => {
    const inner = opened(db) as Rows;
    const filled = (given: Values): Values => ({ ...more, ...given });
    const rows: Rows = {
      create: given => inner.create(filled(given)),
      get: at => inner.get(at),
      replace: (row, given) => inner.replace(row, filled(given)),
      merge: (row, patch) => inner.merge(row, patch),
      upsert: given => inner.upsert(filled(given)),
      upsertMerge: given => inner.upsertMerge(given),
      mutate: (at, change) => inner.mutate(at, before => filled(change(before))),
      delete: row => inner.delete(row),
    };
    const id = ++ids;
    const subject = { rows, row: await rows.create({ id, value, note: 'n' }), id, value, other };
    return {
      ready: async () => line => (operations[line] as Operation)[1](subject, db),
      clear: async () => undefined,
    };
  },
});

const tableOf = (shapes: readonly Shape[], more: readonly Operation[] = []): Promise<string> => {
  const operations = [...OPERATIONS, ...more];
  return costTable(
    operations.map(([title]) => title),
    shapes.map(shape => columnOf(shape, operations)),
  );
};

const spec = <const N extends string>(name: N) =>
  ({ version: 1, table: COST_TABLE, partition: key(name.toLowerCase()) }) as const;

const Plain = entity('Plain', {
  ...spec('Plain'),
  props: { id: t.int32(), note: t.string(), value: t.string() },
  row: p => key(p.id),
});
const Long = entity('Long', {
  ...spec('Long'),
  props: { id: t.int32(), note: t.string(), value: t.string().long() },
  row: p => key(p.id),
});
/** More than a row can hold. */
const FILL = Object.fromEntries(
  Array.from({ length: 260 }, (_, at) => [`fill${at}`, t.int32().optional()] as const),
);
const Wide = wide('Wide', {
  ...spec('Wide'),
  props: { id: t.int32(), note: t.string(), ...FILL, value: t.string() },
  row: p => key(p.id),
});
const full: Values = Object.fromEntries(Object.keys(FILL).map(name => [name, 1]));

const PLAIN: Shape = { title: 'a plain row', rows: db => db.repo(Plain), value: 'a', other: 'b' };

/** For docs/patterns/wide.md. */
export const wideCosts = (): Promise<string> =>
  tableOf([
    PLAIN,
    {
      title: 'a long text, three pieces',
      rows: db => db.repo(Long),
      value: 'a'.repeat(90_000),
      other: 'b'.repeat(90_000),
    },
    { title: 'wide, in one row', rows: db => wideRepo(db, Wide), value: 'a', other: 'b' },
    { title: 'wide, in two rows', rows: db => wideRepo(db, Wide), value: 'a', other: 'b', more: full },
  ]);

const Photo = entity('Photo', {
  ...spec('Photo'),
  props: { id: t.int32(), note: t.string(), value: largeBytes({ over: 100 }) },
  row: p => key(p.id),
});
const bytesOf = (count: number, byte: number): Uint8Array => new Uint8Array(count).fill(byte);
const photos = (db: Db) => larges(db, Photo, { container: COST_CONTAINER });

/** For docs/patterns/large.md. */
export const largeCosts = (): Promise<string> =>
  tableOf(
    [
      { title: 'values in the row', rows: photos, value: bytesOf(10, 1), other: bytesOf(10, 2) },
      { title: 'values in blobs', rows: photos, value: bytesOf(1_000, 1), other: bytesOf(1_000, 2) },
    ],
    [['`content` of what was read', ({ row }, db) => photos(db).content(row as never, 'value')]],
  );

const ring = keyRing({ current: 'key', keys: { key: localKey(new Uint8Array(32)) } });
const OfRow = entity('OfRow', {
  ...spec('OfRow'),
  props: { id: t.int32(), note: t.string(), value: encrypted(t.string()), contentKey: contentKey() },
  row: p => key(p.id),
});
const OfValue = entity('OfValue', {
  ...spec('OfValue'),
  props: { id: t.int32(), note: t.string(), value: encrypted(t.string(), 'self-contained') },
  row: p => key(p.id),
});

/** For docs/patterns/encryption.md. */
export const encryptionCosts = (): Promise<string> =>
  tableOf([
    PLAIN,
    { title: "`'row'`", rows: db => encryption(OfRow, { ring }).repo(db), value: 'a', other: 'b' },
    {
      title: "`'self-contained'`",
      rows: db => encryption(OfValue, { ring }).repo(db),
      value: 'a',
      other: 'b',
    },
  ]);
