// Members whose e-mail is unique over all teams, each team in its own partition: the table's rows, the holder of each key, and what must be true of both.
import assert from 'node:assert/strict';
import { codec, type Db, entity, key, part, t } from '#patterns';
import { remote } from '#patterns/indexes';
import { expectedIndexRow, type RowAddress } from '#patterns/internals';
import { bags } from '#patterns/mixed';

const common = {
  version: 1,
  table: 'Members',
  props: { team: t.string(), id: t.int32(), email: t.string().optional(), note: t.string().optional() },
  partition: key('team', part('team')),
  row: key('member', part('id')),
} as const;

/** As programs know it that know no index. */
export const Unindexed = entity('Member', common);

export const defineMember = (name: string) =>
  entity(name, {
    ...common,
    indexes: {
      byEmail: {
        kind: remote,
        partition: p => key('email', p.email.as(codec.lower)),
        row: key('email'),
        unique: true,
        project: ['note'],
      },
    },
  });
export const Member = defineMember('Member');
export type MemberEntity = ReturnType<typeof defineMember>;

export const ann = { team: 'a', id: 1, email: 'x@x.org' } as const;
export const ben = { team: 'b', id: 1, email: 'X@x.org' } as const;

/** All rows by what they are: members, index rows and records of transactions. */
export async function rowsIn(db: Db, table: string, { name }: MemberEntity = Member) {
  const rows = await bags(db, table).scan().allowScan('a check').take(1_000);
  const of = (tag: string) => rows.filter(row => row.properties.get('EntityType')?.value === tag);
  return { members: of(`${name}.1`), keys: of(`${name}.byEmail.1`), records: of('Transaction.1') };
}

interface Holder extends RowAddress {
  readonly etag: string;
  readonly key: string;
}

async function holdersIn(db: Db, table: string, Entity: MemberEntity = Member): Promise<readonly Holder[]> {
  const members = await db.repo(Entity, { table }).scan().allowScan('a check').take(1_000);
  const [byEmail] = Entity.plan.remoteIndexes;
  return members.flatMap(({ value, partitionKey, rowKey, etag }) => {
    const expected = byEmail && expectedIndexRow(Entity, byEmail, table, value);
    return expected === undefined
      ? []
      : [{ table, partitionKey, rowKey, etag, key: expected.address.partitionKey }];
  });
}

/** No two rows hold one key at a time. */
export async function assertUnique(db: Db, table: string, Entity: MemberEntity = Member): Promise<void> {
  const byKey = new Map<string, Holder>();
  for (const holder of await holdersIn(db, table, Entity)) {
    const other = byKey.get(holder.key);
    byKey.set(holder.key, holder);
    if (other === undefined) continue;
    // One may have left the key before the other was read: both hold it if both are as they were.
    const again = await holdersIn(db, table, Entity);
    const isAsItWas = ({ etag }: Holder): boolean => again.some(each => each.etag === etag);
    assert(!isAsItWas(other) || !isAsItWas(holder), `Two have ${holder.key}.`);
  }
}

/** Keys are those of members, confirmed, and no transaction is left that was done. */
export async function assertKept(
  db: Db,
  table: string,
  message?: string,
  Entity: MemberEntity = Member,
): Promise<void> {
  const holders = await holdersIn(db, table, Entity);
  const { keys } = await rowsIn(db, table, Entity);
  const confirmed = keys.filter(({ properties }) => !properties.has('_reserved'));
  assert.deepEqual(
    confirmed.map(({ partitionKey }) => partitionKey).toSorted(),
    holders.map(each => each.key).toSorted(),
    message,
  );
  assert.equal(keys.length, confirmed.length, message);
}
