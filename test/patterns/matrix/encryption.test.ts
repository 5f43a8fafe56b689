// Encrypted properties: after each request every row opens, has the values of one write and the index row of its hash; and a rotation resumes wherever it ended, loses no write, and leaves nothing under
// the earlier key.
import assert from 'node:assert/strict';
import { codec, type Db, entity, key, t } from '#patterns';
import { contentKey, encrypted, encryption, keyRing, localKey, reseal } from '#patterns/encryption';
import { near } from '#patterns/indexes';
import { type MatrixCase, type RawRow, rawRows, Tally } from './case.js';
import { crashMatrix } from './matrix.js';

const keyOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const KEYS = { old: localKey(keyOf(1)), new: localKey(keyOf(2)) };
type KeyName = keyof typeof KEYS;

const patientOf = (table: string) =>
  entity('Patient', {
    version: 1,
    table,
    props: {
      id: t.int32(),
      name: encrypted(t.string()),
      email: encrypted(t.string()),
      notes: encrypted(t.string(), 'self-contained').optional(),
      emailHash: t.string(),
      ward: t.string().optional(),
      contentKey: contentKey(),
    },
    partition: key('patients'),
    row: p => key('patient', p.id.as(codec.int(2))),
    indexes: { byEmail: { kind: near, row: p => key('email', p.emailHash), unique: true } },
  });

const sealingOf = (
  Patient: ReturnType<typeof patientOf>,
  current: KeyName,
  keys: Partial<typeof KEYS> = KEYS,
) =>
  encryption(Patient, {
    ring: keyRing({ current, keys }),
    hashes: { emailHash: { of: 'email', key: keyOf(9) } },
  });
type Sealing = ReturnType<typeof sealingOf>;
type Patients = ReturnType<Sealing['repo']>;

/** Rows that are there before. */
const IDS = [1, 2, 3];

const counted = (id: number, count: number) => ({
  id,
  name: `secret ${count}`,
  email: `secret-${id}-${count}`,
});
const countOf = (name: string): number => Number(name.split(' ')[1]);

const countUp = (patients: Patients, id: number) =>
  patients.mutate({ id }, now => {
    if (now === undefined) return undefined;
    const { emailHash: _, ...rest } = now;
    return { ...rest, ...counted(id, countOf(rest.name) + 1) };
  });

/** A rotation, which stores how far it came, and begins there. Gives how many rows of the last page it changed. */
function rotation(sealing: Sealing): (db: Db) => Promise<number> {
  let resume: string | undefined;
  return async db => {
    let last = 0;
    for await (const page of reseal(db, sealing, { size: 2, resume })) {
      assert.deepEqual(page.lost, []);
      resume = page.next;
      last = page.resealed;
    }
    return last;
  };
}

/** By the keys of this ring alone. */
async function assertOpen(db: Db, own: Sealing, raw: readonly RawRow[], tally: Tally): Promise<void> {
  const hashes: string[] = [];
  for await (const { value } of own.openAll(own.repo(db).rows.partition({}).rows({}).stream())) {
    const { id, name, email, notes = 'secret' } = value;
    assert.deepEqual({ id, name, email }, counted(id, countOf(name)));
    assert.match(notes, /^secret/);
    assert.equal(value.emailHash, await own.hash('emailHash', email));
    hashes.push(`email!${value.emailHash}`);
    tally.check(id, countOf(name));
  }
  const found = raw.map(({ rowKey = '' }) => rowKey).filter(rowKey => rowKey.startsWith('email!'));
  assert.deepEqual(found.toSorted(), hashes.toSorted());
  for (const row of raw)
    for (const each of Object.values(row))
      assert(!Buffer.from(each instanceof Uint8Array ? each : String(each)).includes('secret'));
}

/** What a program does with patients under a key, counts up there, or rotates. */
interface Doing {
  patients(current: KeyName): Patients;
  countUp(id: number, current: KeyName): Promise<unknown>;
  /** The rotation of the first program, or another. */
  rotate(which: 'first' | 'another'): Promise<unknown>;
}
type Operation = (doing: Doing) => Promise<unknown>;

/** The rival has the new key already, and the program may not. */
const encryptionCase = (
  name: string,
  operation: Operation,
  rival: Operation = doing => doing.countUp(1, 'new'),
): MatrixCase => ({
  name: `encrypted properties: ${name}`,
  setUp: async ({ peer, db }) => {
    const Patient = patientOf(await peer.newTable());
    const tally = new Tally();
    const begun = sealingOf(Patient, 'old').repo(db);
    for (const id of IDS) await begun.create({ ...counted(id, 0), notes: 'secret' });
    const rotating = () => rotation(sealingOf(Patient, 'new'));
    const first = rotating();
    const doing = (own: Db): Doing => {
      const patients = (current: KeyName) => sealingOf(Patient, current).repo(own);
      return {
        patients,
        countUp: (id, current) => tally.up(id, () => countUp(patients(current), id)),
        rotate: which => (which === 'first' ? first : rotating())(own),
      };
    };
    const assertAll = async (keys?: Partial<typeof KEYS>): Promise<void> =>
      assertOpen(db, sealingOf(Patient, 'new', keys), await rawRows(peer, Patient.table), tally);
    return {
      operation: own => operation(doing(own)),
      rival: own => rival(doing(own)),
      always: () => assertAll(),
      finally: async () => {
        // Resumes where it ended; then runs once more, for rows that programs wrote under the earlier key in between; then nothing is left.
        await first(db);
        await rotating()(db);
        assert.equal(await rotating()(db), 0);
        await assertAll({ new: KEYS.new });
      },
    };
  },
});

const any = (id: number) => ({ key: { id }, etag: '*' });
const rotate: Operation = doing => doing.rotate('first');

crashMatrix('encryption', [
  encryptionCase('a rotation', rotate, async doing => {
    await doing.countUp(3, 'new');
    await doing.countUp(1, 'old');
  }),
  encryptionCase('two rotations', rotate, doing => doing.rotate('another')),
  encryptionCase('replace', doing => doing.countUp(1, 'old')),
  encryptionCase('rows that come and go', async doing => {
    const patients = doing.patients('old');
    await patients.upsert({ ...counted(4, 0), notes: 'secret' });
    await patients.deleteIfExists(any(2));
  }),
  encryptionCase('merge of a value that brings its key along', doing =>
    doing.patients('old').merge(any(1), { notes: 'secret too', ward: 'A' }),
  ),
]);
