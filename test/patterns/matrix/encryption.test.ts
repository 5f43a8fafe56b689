// Encrypted properties: after each request every row opens, has the values of one write and the index row of its hash; and a rotation resumes wherever it ended, loses no write, and leaves nothing under
// the earlier key.
import assert from 'node:assert/strict';
import { codec, type Db, entity, key, t } from '#patterns';
import { contentKey, encrypted, encryption, keyRing, localKey, reseal } from '#patterns/encryption';
import { near } from '#patterns/indexes';
import { type Ground, type MatrixCase, matrixCase, rawRows, tagOf } from './case.js';
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

/** Rows that are there before. */
const IDS = [1, 2, 3];
/** Rows of a page of a rotation. */
const SIZE = 2;

interface World {
  readonly Patient: ReturnType<typeof patientOf>;
  /** Of each row, how often it was counted up: as often at least as a call ended, and at most as one began. */
  readonly least: number[];
  readonly most: number[];
  /** The token by which a rotation resumes, as its program stored it. */
  next: string | undefined;
}

const sealingOf = ({ Patient }: World, current: KeyName, keys: Partial<typeof KEYS> = KEYS) =>
  encryption(Patient, {
    ring: keyRing({ current, keys }),
    hashes: { emailHash: { of: 'email', key: keyOf(9) } },
  });

const patientsOf = (db: Db, world: World, current: KeyName) => sealingOf(world, current).repo(db);

const counted = (id: number, count: number) => ({
  id,
  name: `secret ${count}`,
  email: `secret-${id}-${count}`,
});
const countOf = (name: string): number => Number(name.split(' ')[1]);

const setUp = async ({ peer, db }: Ground): Promise<World> => {
  const world: World = {
    Patient: patientOf(await peer.newTable()),
    least: [0, 0, 0, 0, 0],
    most: [0, 0, 0, 0, 0],
    next: undefined,
  };
  for (const id of IDS) await patientsOf(db, world, 'old').create({ ...counted(id, 0), notes: 'secret' });
  return world;
};

/** Counts a row up, by a program whose new values are under this key. */
async function countUp(world: World, db: Db, id: number, current: KeyName): Promise<void> {
  world.most[id] = (world.most[id] ?? 0) + 1;
  await patientsOf(db, world, current).mutate({ id }, now => {
    if (now === undefined) return undefined;
    const { emailHash: _, ...rest } = now;
    return { ...rest, ...counted(id, countOf(rest.name) + 1) };
  });
  world.least[id] = (world.least[id] ?? 0) + 1;
}

/** What a rotation does: it stores how far it came, and begins there. */
async function rotate(world: World, db: Db): Promise<number> {
  let last = 0;
  const pages = reseal(db, sealingOf(world, 'new'), { size: SIZE, resume: world.next });
  for await (const { next, lost, resealed } of pages) {
    assert.deepEqual(lost, []);
    world.next = next;
    last = resealed;
  }
  return last;
}

/** By the keys of this ring alone. */
async function assertOpen(
  world: World,
  { db, peer }: Ground,
  ring: Partial<typeof KEYS> = KEYS,
): Promise<void> {
  const own = sealingOf(world, 'new', ring);
  const repo = own.repo(db);
  const hashes: string[] = [];
  const rows = repo.rows.partition({}).rows({});
  for await (const { value } of own.openAll(rows.stream())) {
    const count = countOf(value.name);
    const { id, name, email, notes = 'secret' } = value;
    assert.deepEqual({ id, name, email }, counted(id, count));
    assert.match(notes, /^secret/);
    assert.equal(value.emailHash, await own.hash('emailHash', email));
    hashes.push(`email!${value.emailHash}`);
    const [least, most] = [world.least[id] ?? 0, world.most[id] ?? 0];
    assert(
      least <= count && count <= most,
      `${id} was counted to ${count}, and should be from ${least} to ${most}`,
    );
  }
  const raw = await rawRows(peer, world.Patient.table);
  const found = raw.filter(row => tagOf(row).endsWith('.byEmail')).map(({ rowKey = '' }) => rowKey);
  assert.deepEqual(found.toSorted(), hashes.toSorted());
  for (const row of raw)
    for (const each of Object.values(row))
      assert(!Buffer.from(each instanceof Uint8Array ? each : String(each)).includes('secret'));
}

async function assertRotated(world: World, ground: Ground): Promise<void> {
  await assertOpen(world, ground);
  // Resumes where it ended; then runs once more, for rows that programs wrote under the earlier key in between; then nothing is left.
  await rotate(world, ground.db);
  world.next = undefined;
  await rotate(world, ground.db);
  assert.equal(await rotate(world, ground.db), 0);
  await assertOpen(world, ground, { new: KEYS.new });
}

type Operation = MatrixCase<World>['operation'];

const encryptionCase = (name: string, operation: Operation, rival?: Operation): MatrixCase =>
  matrixCase<World>({
    name: `encrypted properties: ${name}`,
    setUp,
    operation,
    // It has the new key already, and the program may not.
    rival: rival ?? ((world, db) => countUp(world, db, 1, 'new')),
    always: assertOpen,
    finally: assertRotated,
  });

const any = (id: number) => ({ key: { id }, etag: '*' });

crashMatrix('encryption', [
  encryptionCase('a rotation', rotate, async (world, db) => {
    await countUp(world, db, 3, 'new');
    await countUp(world, db, 1, 'old');
  }),
  encryptionCase('two rotations', rotate, (world, db) => rotate({ ...world }, db)),
  encryptionCase('replace', (world, db) => countUp(world, db, 1, 'old')),
  encryptionCase('rows that come and go', async (world, db) => {
    const patients = patientsOf(db, world, 'old');
    await patients.upsert({ ...counted(4, 0), notes: 'secret' });
    await patients.deleteIfExists(any(2));
  }),
  encryptionCase('merge of a value that brings its key along', (world, db) =>
    patientsOf(db, world, 'old').merge(any(1), { notes: 'secret too', ward: 'A' }),
  ),
]);
