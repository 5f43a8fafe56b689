// Encryption: records of patients, whose names and diagnoses are unreadable in the table, are found by a keyed hash of
// a number, and get a new key while a program writes.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { codec, entity, key, open, t } from '#patterns';
import { contentKey, encrypted, encryption, keyRing, localKey, reseal } from '#patterns/encryption';
import { near } from '#patterns/indexes';
import type { Example } from './example.js';

const Patient = entity('Patient', {
  version: 1,
  table: 'Patients',
  props: {
    clinic: t.string(),
    id: t.int32(),
    name: encrypted(t.string()),
    insurance: encrypted(t.string()),
    insuranceHash: t.string(),
    diagnosis: encrypted(t.string().long(), 'self-contained').optional(),
    contentKey: contentKey(),
  },
  partition: p => key(p.clinic),
  row: p => key('patient', p.id.as(codec.int(6))),
  indexes: {
    byInsurance: { kind: near, row: p => key('insurance', p.insuranceHash), unique: true },
  },
});

const COUNT = 50;
const KEYS = { 'key-2025': localKey(randomBytes(32)), 'key-2026': localKey(randomBytes(32)) };
const hashes = { insuranceHash: { of: 'insurance', key: randomBytes(32) } };
const withKey = (current: keyof typeof KEYS, keys: Partial<typeof KEYS> = KEYS) =>
  encryption(Patient, { ring: keyRing({ current, keys }), hashes });

export const patientRecords: Example = {
  title: 'Encryption: patients whose records only the program can read',
  async run(client, say) {
    await client.createTable(Patient.table);
    const db = open({ tables: client });
    const before = withKey('key-2025');
    const patients = before.repo(db);
    for (let id = 0; id < COUNT; id++)
      await patients.create({ clinic: 'north', id, name: `Patient ${id}`, insurance: `A${1000 + id}` });

    const [stored] = await patients.rows.partition({ clinic: 'north' }).take(1);
    assert(stored);
    say(`In the table a name is ${Buffer.from(stored.value.name.bytes).toString('base64').slice(0, 24)}…`);

    const insuranceHash = await before.hash('insuranceHash', 'A1007');
    const [hit] = await patients.rows
      .index('byInsurance')
      .partition({ clinic: 'north' })
      .rows({ insuranceHash })
      .take(1);
    const found = hit && (await patients.get({ clinic: 'north', id: hit.value.id }));
    say(`Insurance A1007 is of ${found?.value.name}`);
    assert.equal(found?.value.name, 'Patient 7');
    assert(found);
    await patients.merge(found, { diagnosis: 'influenza' });

    const after = withKey('key-2026');
    let counts = { resealed: 0, inPlace: 0 };
    for await (const progress of reseal(db, after, { size: 10 })) {
      counts = progress;
      // A program writes between the pages.
      await after.repo(db).mutate({ clinic: 'north', id: COUNT - 1 }, value => {
        assert(value);
        const { insuranceHash: _, ...given } = value;
        return { ...given, diagnosis: `${given.diagnosis ?? ''}.` };
      });
    }
    say(`${counts.resealed} rows were written again, ${counts.inPlace} had the new key already`);

    const alone = withKey('key-2026', { 'key-2026': KEYS['key-2026'] }).repo(db);
    for (let id = 0; id < COUNT; id++)
      assert.equal((await alone.get({ clinic: 'north', id }))?.value.name, `Patient ${id}`);
    assert.equal((await alone.get({ clinic: 'north', id: 7 }))?.value.diagnosis, 'influenza');
    say('The new key alone opens all of them');
  },
};
