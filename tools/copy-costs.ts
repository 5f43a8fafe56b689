// The cost of writes of a source and of the rows with copies of it, without copies and with each kind.
// docs/patterns/one-to-many.md has the table.
import { codec, type Db, entity, key, type Repo, type StoredOf, t } from '#patterns';
import { type CopiesPlace, copies, embed } from '#patterns/copies';
import { COST_TABLE, type CostColumn, costTable, deleteAll, type Scene } from './cost-table.js';

/** A source and a row with copies of it, whose names begin with `name`. */
function pair(name: string) {
  const Source = entity(`${name}Source`, {
    version: 1,
    table: COST_TABLE,
    props: { id: t.int32(), name: t.string(), note: t.string() },
    partition: key('copies'),
    row: p => key(`${name}-source`, p.id.as(codec.int(6))),
  });
  const source = embed('source', Source, ['name']);
  const Holder = entity(`${name}Holder`, {
    version: 1,
    table: COST_TABLE,
    props: { id: t.int32(), sourceId: t.int32(), ...source.props },
    partition: key('copies'),
    row: p => key(`${name}-holder`, p.id.as(codec.int(6))),
  });
  return { Source, source, Holder };
}

type Pair = ReturnType<typeof pair>;

interface Rows {
  readonly sources: Repo<Pair['Source']>;
  readonly holders: Repo<Pair['Holder']>;
  readonly source: StoredOf<Pair['Source']>;
  readonly holder: StoredOf<Pair['Holder']>;
}

type Operation = readonly [title: string, run: (rows: Rows) => Promise<unknown>];

/** Operations on a source of three rows with copies, next to a second source. */
const OPERATIONS: readonly Operation[] = [
  ['`create` of a source', ({ sources }) => sources.create({ id: 3, name: 'Cid', note: 'n' })],
  [
    '`merge` of a copied property, 3 rows with copies',
    ({ sources, source }) => sources.merge(source, { name: 'Anna' }),
  ],
  ['`merge` of another property', ({ sources, source }) => sources.merge(source, { note: 'new' })],
  ['`delete` of a source, 3 rows with copies', ({ sources, source }) => sources.delete(source)],
  ['`create` of a row with copies', ({ holders }) => holders.create({ id: 4, sourceId: 1 })],
  [
    '`merge` of a row that takes another source',
    ({ holders, holder }) => holders.merge(holder, { sourceId: 2 }),
  ],
];

/** A row after its copies are made. */
async function standing<T>(read: Promise<T | undefined>): Promise<T> {
  const row = await read;
  if (row === undefined) throw new Error('the row is not there');
  return row;
}

const rowsWith =
  ({ Source, Holder }: Pair) =>
  async (db: Db): Promise<Scene> => {
    const sources = db.repo(Source);
    const holders = db.repo(Holder);
    await sources.create({ id: 1, name: 'Ann', note: 'n' });
    await sources.create({ id: 2, name: 'Ben', note: 'n' });
    for (const id of [1, 2, 3]) await holders.create({ id, sourceId: 1 });
    return {
      ready: async () => {
        const source = await standing(sources.get({ id: 1 }));
        const holder = await standing(holders.get({ id: 1 }));
        return line => (OPERATIONS[line] as Operation)[1]({ sources, holders, source, holder });
      },
      clear: async () => {
        await deleteAll(holders);
        await deleteAll(sources);
      },
    };
  };

function columnOf(title: string, name: string, where?: CopiesPlace): CostColumn {
  const made = pair(name);
  const prepare = rowsWith(made);
  if (where === undefined) return { title, prepare };
  const { flow } = copies(`${name.toLowerCase()}-copies`, {
    holder: made.Holder,
    embedded: made.source,
    keyOf: ({ sourceId }) => ({ id: sourceId }),
    where,
    whenDeleted: 'null',
    holders: (db, { id }) =>
      db
        .repo(made.Holder)
        .partition({})
        .where(p => p.sourceId.eq(id)),
  });
  return where === 'remote' ? { title, prepare, flow } : { title, prepare };
}

const COLUMNS: readonly CostColumn[] = [
  columnOf('no copies', 'Plain'),
  columnOf('in the same partition', 'Local', 'same-partition'),
  columnOf('remote', 'Remote', 'remote'),
];

export const copyCosts = (): Promise<string> =>
  costTable(
    OPERATIONS.map(([title]) => title),
    COLUMNS,
  );
