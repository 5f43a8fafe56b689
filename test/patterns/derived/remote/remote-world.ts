// People with two remote indexes, one of them in a table of its own, in tables of their own: what stands in the indexes, what should, and workers that empty the queue.
import assert from 'node:assert/strict';
import { codec, type Db, entity, key, type ServiceOptions, t } from '#patterns';
import type { FlowEvent } from '#patterns/flows';
import { indexFlow, remote } from '#patterns/indexes';
import { drained } from '../../flows/flow-setting.js';
import { rowsOfIndexes } from '../../support/indexed-entity.js';
import type { Peer } from '../../support/peers.js';

export const define = (name: string, table: string, own: string) =>
  entity(name, {
    version: 1,
    table,
    props: {
      department: t.string(),
      id: t.int32(),
      last: t.string(),
      email: t.string().optional(),
      note: t.string().optional(),
    },
    partition: p => key(p.department),
    row: p => key('person', p.id.as(codec.int(6))),
    indexes: {
      byEmail: {
        kind: remote,
        table: own,
        partition: p => key(p.email.as(codec.lower)),
        row: key('e'),
        project: ['last'],
      },
      byName: { kind: remote, partition: p => key('name', p.last), row: key('n'), project: 'all' },
    },
  });
export type Person = ReturnType<typeof define>;

export const ann = { department: 'Sales', id: 1, last: 'Jones', email: 'Ann@X.org' } as const;
export const ben = { department: 'Sales', id: 2, last: 'Jones', email: 'ben@x.org' } as const;

let names = 0;

/** As it was defined, in tables of its own. */
export async function remoteDefinition(
  peer: Peer,
): Promise<{ readonly Person: Person; readonly own: string }> {
  const [table, own] = [await peer.newTable(), await peer.newTable()];
  return { Person: define(`Person${++names}`, table, own), own };
}

/** Until no messages are left. */
export const drain = (db: Db, entity: Person, workers = 1): Promise<readonly FlowEvent[]> =>
  drained(db, indexFlow(entity), workers);

/** The index rows that stand, and those that should, each as a text. */
export const indexRowsOf = (db: Db, Person: Person) => {
  const indexes = Person.plan.remoteIndexes;
  return rowsOfIndexes(db, Person, { indexes, others: indexes.map(({ entity }) => entity.table) });
};

/** Index rows are exactly what the rows of people say. */
export async function assertExact(db: Db, Person: Person, message?: string): Promise<void> {
  const { stand, should } = await indexRowsOf(db, Person);
  assert.deepEqual(stand, should, message);
}

/** Tables, a queue, and a program that has both. */
export async function remoteWorld(peer: Peer, options: ServiceOptions = {}) {
  const { Person, own } = await remoteDefinition(peer);
  const opened = (more: ServiceOptions = {}): Db => peer.open({ announceAfter: 0, ...options, ...more });
  const db = opened();
  await indexFlow(Person).createQueues(db);
  return {
    db,
    opened,
    Person,
    own,
    people: db.repo(Person),
    drain: (workers = 1) => drain(db, Person, workers),
    /** The addresses of index rows. */
    rows: async () =>
      (await indexRowsOf(db, Person)).stand.map(text => text.split(' ').slice(0, 2).join(' ')),
    assertExact: (message?: string) => assertExact(db, Person, message),
  };
}
