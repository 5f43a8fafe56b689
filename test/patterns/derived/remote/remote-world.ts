// People with two remote indexes, one of them in a table of its own, in tables of their own: what stands in the indexes, what should, and workers that empty the queue.
import assert from 'node:assert/strict';
import { until } from '#base/testing/until';
import { codec, type Db, entity, key, type Of, open, type ServiceOptions, type StoredOf, t } from '#patterns';
import type { FlowEvent, WorkerOptions } from '#patterns/flows';
import { indexFlow, remote } from '#patterns/indexes';
import { encodeBag, encodeIndexRow } from '#patterns/internals';
import { bags } from '#patterns/mixed';
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

/** Messages are seen at once, and a write is waited for only so long as it takes: it came before the workers. */
const QUICK: WorkerOptions = { grace: 3, redeliverAfter: 1, concurrency: 8, rest: { base: 20, cap: 100 } };

let names = 0;

/** As it was defined, in tables of its own. */
export async function remoteDefinition(
  peer: Peer,
): Promise<{ readonly Person: Person; readonly own: string }> {
  const [table, own] = [await peer.newTable(), await peer.newTable()];
  return { Person: define(`Person${++names}`, table, own), own };
}

/** Until no messages are left. Gives what became of them; none is put aside. */
export async function drain(
  db: Db,
  entity: Person,
  { workers = 1, ...options }: WorkerOptions & { readonly workers?: number } = {},
): Promise<readonly FlowEvent[]> {
  const flow = indexFlow(entity);
  const events: FlowEvent[] = [];
  const report = (event: FlowEvent) => events.push(event);
  const running = Array.from({ length: workers }, () => flow.worker(db, { ...QUICK, report, ...options }));
  await until('an empty queue', async () => (await flow.figures(db)).pending === 0);
  for (const worker of running) await worker.stop();
  assert.deepEqual(
    events.filter(({ kind }) => kind === 'poisoned'),
    [],
  );
  return events;
}

/** The index rows that stand, and those that should, each as a text. */
export async function indexRowsOf(db: Db, Person: Person) {
  const tables = new Set([Person.table, ...Person.plan.remoteIndexes.map(({ entity }) => entity.table)]);
  const stand: string[] = [];
  for (const table of tables)
    for await (const bag of bags(db, table).scan().allowScan('a check').stream())
      if (bag.tag?.startsWith(`${Person.name}.by`)) stand.push(textOf(encodeBag(bag)));
  const people = await db.repo(Person).scan().allowScan('a check').take(10_000);
  const should = people.flatMap(({ value }) =>
    Person.plan.remoteIndexes.flatMap(index => {
      const row = encodeIndexRow(index, value);
      return row === undefined ? [] : [textOf(row)];
    }),
  );
  return { stand: stand.toSorted(), should: should.toSorted() };
}

/** Without the version of the row that it was made of. */
function textOf({ partitionKey, rowKey, properties }: Omit<ReturnType<typeof encodeBag>, 'bytes'>): string {
  const texts = properties
    .filter(({ name }) => name !== '_source')
    .map(({ name, type, literal }) => `${name}:${type}=${literal}`);
  return [partitionKey, rowKey, ...texts.toSorted()].join(' ');
}

/** Index rows are exactly what the rows of people say. */
export async function assertExact(db: Db, Person: Person, message?: string): Promise<void> {
  const { stand, should } = await indexRowsOf(db, Person);
  assert.deepEqual(stand, should, message);
}

/** Tables, a queue, and a program that has both. */
export async function remoteWorld(peer: Peer, options: ServiceOptions = {}) {
  const { Person, own } = await remoteDefinition(peer);
  const opened = (more: ServiceOptions = {}): Db =>
    open({ tables: peer.client(), queues: peer.queues() }, { announceAfter: 0, ...options, ...more });
  const db = opened();
  await indexFlow(Person).createQueues(db);
  return {
    db,
    opened,
    Person,
    own,
    people: db.repo(Person),
    drain: (options: Parameters<typeof drain>[2] = {}) => drain(db, Person, options),
    /** The addresses of index rows. */
    rows: async () =>
      (await indexRowsOf(db, Person)).stand.map(text => text.split(' ').slice(0, 2).join(' ')),
    assertExact: (message?: string) => assertExact(db, Person, message),
  };
}
export type Value = Of<Person>;
export type Row = StoredOf<Person>;
