// Writes of encrypted values, and a rotation, whose requests or answers get lost: each ends in one outcome, it is the true one, and what stands in the table opens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec, type Db, entity, key, open, t } from '#patterns';
import {
  contentKey,
  type EncryptedRepo,
  encrypted,
  encryption,
  keyRing,
  localKey,
  reseal,
} from '#patterns/encryption';
import { onlyIn } from '../../support/slow.js';
import { faultAt, SOME_FAULTS } from '../support/faulty-client.js';
import { describePeers, type Peer } from '../support/peers.js';
import { outcomeOf, withFaults } from '../support/write-operations.js';

const keyOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const KEYS = { old: localKey(keyOf(1)), new: localKey(keyOf(2)) };

const patientOf = (table: string) =>
  entity('Patient', {
    version: 1,
    table,
    props: {
      id: t.int32(),
      name: encrypted(t.string()),
      notes: encrypted(t.string(), 'self-contained').optional(),
      nameHash: t.string(),
      contentKey: contentKey(),
    },
    partition: key('patients'),
    row: p => key('patient', p.id.as(codec.int(2))),
    indexes: { byName: { kind: 'same-partition', row: p => key('name', p.nameHash), unique: true } },
  });
type Patient = ReturnType<typeof patientOf>;

const sealing = (table: string, current: keyof typeof KEYS, keys: Partial<typeof KEYS> = KEYS) =>
  encryption(patientOf(table), {
    ring: keyRing({ current, keys }),
    hashes: { nameHash: { of: 'name', key: keyOf(9) } },
  });

type Patients = EncryptedRepo<Patient, 'nameHash'>;
type Found = NonNullable<Awaited<ReturnType<Patients['get']>>>;
const ann = { id: 1, name: 'Ann' } as const;

/** An operation on a row that is there, or is not yet, and whether the row shows that it was done. */
interface Operation {
  readonly name: string;
  readonly startsWithRow: boolean;
  run(patients: Patients, stored: Found, db: Db): Promise<unknown>;
  isDone(row: Found | undefined): boolean;
}

const OPERATIONS: readonly Operation[] = [
  {
    name: 'create',
    startsWithRow: false,
    run: patients => patients.create(ann),
    isDone: row => row !== undefined,
  },
  {
    name: 'replace',
    startsWithRow: true,
    run: (patients, stored) => patients.replace(stored, { id: 1, name: 'Done' }),
    isDone: row => row?.value.name === 'Done',
  },
  {
    name: 'merge',
    startsWithRow: true,
    run: (patients, stored) => patients.merge(stored, { notes: 'done' }),
    isDone: row => row?.value.notes === 'done',
  },
  {
    name: 'upsert',
    startsWithRow: true,
    run: patients => patients.upsert({ id: 1, name: 'Done' }),
    isDone: row => row?.value.name === 'Done',
  },
  {
    name: 'mutate',
    startsWithRow: true,
    run: patients =>
      patients.mutate({ id: 1 }, now => ({ id: 1, name: now?.name === 'Ann' ? 'Done' : 'Twice' })),
    isDone: row => row?.value.name === 'Done',
  },
  {
    name: 'delete',
    startsWithRow: true,
    run: (patients, stored) => patients.delete(stored),
    isDone: row => row === undefined,
  },
  {
    name: 'reseal',
    startsWithRow: true,
    run: async (patients, _, db) => {
      for await (const { lost } of reseal(db, sealing(patients.rows.table, 'new')))
        assert.deepEqual(lost, []);
    },
    isDone: row => row !== undefined && !sealing(row.table, 'new').isOutdated(row.sealed),
  },
];

async function prepare(peer: Peer, { startsWithRow }: Operation) {
  const table = await peer.newTable();
  const clean = sealing(table, 'old').repo(open({ tables: peer.client() }));
  const stored = startsWithRow ? await clean.create(ann) : undefined;
  return { table, clean, stored: stored as Found };
}

describePeers('lost answers of encrypted values', peer => {
  // All faults where servers are fast; elsewhere the answers are the same, and two show it.
  const faults = peer.name === 'memory' ? SOME_FAULTS : SOME_FAULTS.slice(0, 2);
  for (const operation of OPERATIONS) {
    const skip = operation.name !== 'reseal' && onlyIn('patterns');
    test(`${operation.name} is done, whichever one request fails, and however`, { skip }, async () => {
      const first = await prepare(peer, operation);
      const counting = withFaults(peer, () => undefined);
      await operation.run(sealing(first.table, 'old').repo(counting.db), first.stored, counting.db);
      for (let index = 0; index < counting.httpClient.count; index++)
        for (const fault of faults) {
          const { table, clean, stored } = await prepare(peer, operation);
          const { db } = withFaults(peer, faultAt(fault, index));
          await operation.run(sealing(table, 'old').repo(db), stored, db);
          const row = await clean.get({ id: 1 });
          assert(operation.isDone(row), `${fault} at ${index}`);
          const rows = await clean.rows.index('byName').partition({}).take(9);
          assert.deepEqual(
            rows.map(({ value }) => value.nameHash),
            row === undefined ? [] : [row.value.nameHash],
          );
        }
    });

    test(`${operation.name} tells the truth when answers fail as often as it is tried`, {
      skip,
    }, async () => {
      for (const fault of faults) {
        const { table, clean, stored } = await prepare(peer, operation);
        const { db } = withFaults(peer, (_, { method }) => (method === 'GET' ? undefined : fault));
        const outcome = await outcomeOf(operation.run(sealing(table, 'old').repo(db), stored, db));
        const isDone = operation.isDone(await clean.get({ id: 1 }));
        if (outcome === 'done') assert(isDone, `${fault}: ${outcome}`);
        else if (outcome !== 'OutcomeUnknown') assert(!isDone, `${fault}: ${outcome}`);
      }
    });
  }
});
