// The entity with indexes of the pattern library's tests: a unique one that is sparse, one that is not unique with whole copies, and a sparse one without a projection.
import { codec, type Db, entity, key, type Repo, t } from '#patterns';

export const Person = entity('Person', {
  version: 1,
  table: 'People',
  props: {
    department: t.string(),
    id: t.int32(),
    last: t.string(),
    email: t.string().optional(),
    badge: t.int32().optional(),
    note: t.string().optional(),
  },
  partition: p => key(p.department),
  row: p => key('person', p.id.as(codec.int(6))),
  indexes: {
    byEmail: {
      kind: 'same-partition',
      row: p => key('email', p.email.as(codec.lower)),
      unique: true,
      project: ['last'],
    },
    byName: { kind: 'same-partition', row: p => key('name', p.last), project: 'all' },
    byBadge: { kind: 'same-partition', row: p => key('badge', p.badge) },
  },
});
export type People = Repo<typeof Person>;

export const ann = { department: 'Sales', id: 1, last: 'Jones', email: 'Ann@X.org', badge: 7 } as const;
export const ben = { department: 'Sales', id: 2, last: 'Jones', email: 'ben@x.org' } as const;

/** What its partition holds: rows of the entity as they are stored, and those of its indexes. */
export async function rowsIn(db: Db, table: string, partitionKey = 'Sales') {
  const { bags } = await import('#patterns/mixed');
  const rows = await bags(db, table).partition(partitionKey).take(1000);
  return rows.map(({ rowKey }) => rowKey);
}
