// People with two remote indexes, one of them in a table of its own, in tables of their own: what stands in the indexes, what should, and workers that empty the queue.
import { type Db, entity, type ServiceOptions } from '#patterns';
import { indexFlow } from '#patterns/indexes';
import { drained } from '../../flows/flow-setting.js';
import {
  assertExact,
  byEmailIn,
  byNameElsewhere,
  person,
  rowsOfIndexes,
} from '../../support/indexed-entity.js';
import type { Peer } from '../../support/peers.js';

export const ann = { department: 'Sales', id: 1, last: 'Jones', email: 'Ann@X.org' } as const;
export const ben = { department: 'Sales', id: 2, last: 'Jones', email: 'ben@x.org' } as const;

let names = 0;

/** Tables, a queue, and a program that has both. */
export async function remoteWorld(peer: Peer) {
  const [table, own] = [await peer.newTable(), await peer.newTable()];
  const indexes = { byEmail: { ...byEmailIn(own), project: ['last'] }, byName: byNameElsewhere } as const;
  const Person = entity(`Person${++names}`, { ...person, table, indexes });
  const opened = (options: ServiceOptions = {}): Db => peer.open({ announceAfter: 0, ...options });
  const db = opened();
  await indexFlow(Person).createQueues(db);
  return {
    db,
    opened,
    Person,
    own,
    people: db.repo(Person),
    drain: () => drained(db, indexFlow(Person)),
    /** The addresses of index rows. */
    rows: async () =>
      (await rowsOfIndexes(db, Person)).stand.map(text => text.split(' ').slice(0, 2).join(' ')),
    assertExact: () => assertExact(db, table, Person),
  };
}
