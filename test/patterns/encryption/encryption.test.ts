// Encrypted properties: what stands in the table, what opens and what does not, writes of every kind, keys that come and go.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { codec, entity, Instant, key, remove, t } from '#patterns';
import { change } from '#patterns/bulk';
import {
  Ciphertext,
  contentKey,
  encrypted,
  encryption,
  type KeyRing,
  keyRing,
  localKey,
  remoteKey,
  reseal,
} from '#patterns/encryption';
import { near } from '#patterns/indexes';
import { collect, pageByPage, written } from '../support/collect.js';
import { before, FaultyClient } from '../support/faulty-client.js';
import { describePeers } from '../support/peers.js';
import { rejects } from '../support/rejects.js';

const keyOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const KEYS = { old: localKey(keyOf(1)), new: localKey(keyOf(2)) };
const RING = keyRing({ current: 'old', keys: KEYS });
/** Of a rotation: values under both open, and new ones are under the new one. */
const BOTH = keyRing({ current: 'new', keys: KEYS });
const NEW = keyRing({ current: 'new', keys: { new: KEYS.new } });
const HASH_KEY = keyOf(9);
const ANN = { clinic: 'north', id: 1, name: 'Ann Jones', email: 'Ann@x.org', notes: 'none', ward: 'A' };

/** A key, and how often a content key was wrapped by it. */
const countingKey = () => {
  const counted = { wraps: 0, ring: RING };
  const wrap = (bytes: Uint8Array): Promise<Uint8Array> => {
    counted.wraps++;
    return KEYS.old.wrap(bytes);
  };
  counted.ring = keyRing({ current: 'old', keys: { old: { ...KEYS.old, wrap } } });
  return counted;
};

const patient = (table: string) =>
  entity('Patient', {
    version: 1,
    table,
    props: {
      clinic: t.string(),
      id: t.int32(),
      name: encrypted(t.string()),
      email: encrypted(t.string()).optional(),
      notes: encrypted(t.string().long(), 'self-contained').optional(),
      emailHash: t.string().optional(),
      ward: t.string(),
      contentKey: contentKey(),
    },
    partition: p => key(p.clinic),
    row: p => key('patient', p.id.as(codec.int(6))),
    indexes: { byEmail: { kind: near, row: p => key('email', p.emailHash), unique: true } },
  });

const patients = (table: string, ring: KeyRing = RING) =>
  encryption(patient(table), {
    ring,
    hashes: { emailHash: { of: 'email', key: HASH_KEY, normalize: text => text.toLowerCase() } },
  });

/** Values of every type, and none of them with a key of the row. */
const Sample = (table: string) =>
  entity('Sample', {
    version: 1,
    table,
    props: {
      id: t.int32(),
      text: encrypted(t.string(), 'self-contained').optional(),
      int32: encrypted(t.int32(), 'self-contained').optional(),
      int64: encrypted(t.int64(), 'self-contained').optional(),
      double: encrypted(t.double(), 'self-contained').optional(),
      bool: encrypted(t.bool(), 'self-contained').optional(),
      at: encrypted(t.instant(), 'self-contained').optional(),
      guid: encrypted(t.guid(), 'self-contained').optional(),
      bytes: encrypted(t.bytes(), 'self-contained').optional(),
      json: encrypted(t.json(z.array(z.number())), 'self-contained').optional(),
      stage: encrypted(t.oneOf('one', 'two'), 'self-contained').optional(),
      plain: t.string().optional(),
    },
    partition: key('samples'),
    row: p => key(p.id),
  });

describePeers('encryption', peer => {
  /** Patients in a table of their own. */
  const world = async (ring = RING) => {
    const [table, db] = [await peer.newTable(), peer.open()];
    const own = patients(table, ring);
    return { table, db, own, repo: own.repo(db), raw: peer.table(table) };
  };
  /** The patients of a table by a program with this ring. */
  const repoOf = (table: string, ring: KeyRing = RING) => patients(table, ring).repo(peer.open());

  test('hides values from everyone without the keys, and gives them back', async () => {
    const { own, repo, raw } = await world();
    const created = await repo.create(ANN);
    assert.deepEqual(created.value, { ...ANN, emailHash: await own.hash('emailHash', 'ANN@x.org') });
    const name: string = created.value.name;
    assert.equal(name, 'Ann Jones');
    assert.deepEqual((await repo.get(ANN))?.value, created.value);
    for (const row of await collect(raw.listEntities())) {
      const texts = Object.values(row).map(each => (each instanceof Uint8Array ? Buffer.from(each) : each));
      for (const secret of ['Ann', 'Jones', 'x.org', 'none']) assert(!texts.join().includes(secret));
    }
    const [row] = await repo.rows.partition({ clinic: 'north' }).take(1);
    assert(row?.value.name instanceof Ciphertext);
    // A second row of the same values has other bytes: nonces and keys are new.
    const other = await repo.create({ ...ANN, id: 2, email: 'bob@x.org' });
    assert.notDeepEqual(other.sealed.value.name.bytes, row.value.name.bytes);
  });

  test('finds rows by a keyed hash, and keeps its index unique', async () => {
    const { own, repo } = await world();
    await repo.create(ANN);
    const emailHash = await own.hash('emailHash', 'ann@X.ORG');
    const hits = repo.rows.partition({ clinic: 'north' }).where(p => p.emailHash.eq(emailHash));
    const found = await collect(own.openAll(hits.stream()));
    assert.deepEqual(
      found.map(({ value }) => value.name),
      ['Ann Jones'],
    );
    await rejects(repo.create({ ...ANN, id: 2, email: 'ann@x.org' }), 'UniqueViolation');
    await repo.create({ ...ANN, id: 3, email: undefined });
    await rejects(repo.create({ ...ANN, id: 4, emailHash: 'mine' } as never), 'ValueInvalid', {
      property: 'emailHash',
    });
  });

  test('writes by every name, and refuses merges of values under the key of their row', async () => {
    const { own, repo, db } = await world();
    const ann = await repo.create(ANN);
    const moved = await repo.merge(ann, { ward: 'B' });
    assert.deepEqual([moved.value.ward, moved.value.name], ['B', 'Ann Jones']);
    await rejects(repo.merge(moved, { name: 'Eve' } as never), 'ValueInvalid', { property: 'name' });
    const noted = await repo.merge(moved, { notes: 'x'.repeat(100_000) });
    assert.equal(noted.value.notes?.length, 100_000);
    const short = await repo.merge(noted, { notes: 'short' });
    assert.equal((await repo.get(short.value))?.value.notes, 'short');
    await rejects(repo.merge(ann, { ward: 'C' }), 'Conflict');
    await rejects(repo.upsertMerge({ ...ANN, name: 'Eve' }), 'ValueInvalid', { property: 'name' });
    // By other doors, too: a value of another seal is under another key.
    const stranger = await own.seal({ ...ANN, name: 'Eve' });
    const stored = (await repo.rows.get(ANN)) ?? assert.fail();
    await rejects(repo.rows.merge(stored, { name: stranger.name } as never), 'ValueInvalid');
    const stays = { property: 'contentKey', expected: 'what it is' } as const;
    for (const gone of [null, remove] as const) {
      await rejects(async () => repo.rows.merge(stored, { contentKey: gone }), 'ValueInvalid', stays);
      const batch = db.batch(own.entity, ANN, { table: stored.table });
      await rejects(async () => batch.merge(own.entity, stored, { contentKey: gone }), 'ValueInvalid', stays);
    }
    assert.equal((await repo.get(ANN))?.value.name, 'Ann Jones');
    await rejects(async () => repo.rows.create({ ...ANN, id: 9 } as never), 'ValueInvalid', {
      expected: 'a Ciphertext',
    });
    const replaced = await repo.replace(short, { ...ANN, name: 'Ann Smith' });
    assert.equal(replaced.value.name, 'Ann Smith');
    const upserted = await repo.upsert({ ...ANN, name: 'Ann Brown' });
    assert.notEqual(upserted.etag, replaced.etag);
    const raised = await repo.mutate(ANN, value => value && { ...ANN, name: `${value.name}!` }, {
      checksPurity: true,
    });
    assert.equal(raised?.value.name, 'Ann Brown!');
    assert.equal((await repo.mutate(ANN, value => value && undefined))?.etag, raised?.etag);
    const [read, none] = await repo.getMany([ANN, { clinic: 'north', id: 7 }]);
    assert.deepEqual([read?.value.name, none], ['Ann Brown!', undefined]);
    assert(raised);
    await repo.delete(raised);
    assert.equal(await repo.get(ANN), undefined);
    await repo.deleteIfExists({ key: ANN, etag: '*' });
  });

  test('never merges a value under the key of its row into a row that may be there, by any door', async () => {
    const table = await peer.newTable();
    const Note = entity('Note', {
      version: 1,
      table,
      props: {
        id: t.int32(),
        a: encrypted(t.string()).optional(),
        b: encrypted(t.string()).optional(),
        key: contentKey(),
      },
      partition: key('notes'),
      row: p => key(p.id),
    });
    const own = encryption(Note, { ring: RING });
    const db = peer.open();
    const repo = own.repo(db);
    await repo.create({ id: 1, a: 'a' });
    const sealed = await own.seal({ id: 1, b: 'b' });
    const refused = { property: 'b', expected: 'a write of the whole row' } as const;
    await rejects(repo.upsertMerge({ id: 1, b: 'b' }), 'ValueInvalid', refused);
    await rejects(async () => repo.rows.upsertMerge(sealed), 'ValueInvalid', refused);
    await rejects(async () => db.batch(Note, {}).upsertMerge(Note, sealed).commit(), 'ValueInvalid', refused);
    assert.deepEqual(await written(db, [change.upsertMerge(Note, sealed)]), ['ValueInvalid']);
    assert.deepEqual((await repo.get({ id: 1 }))?.value, { id: 1, a: 'a' });
  });

  test('has values of every type, and merges those that bring their keys along', async () => {
    const table = await peer.newTable();
    const counted = countingKey();
    const repo = encryption(Sample(table), { ring: counted.ring }).repo(peer.open());
    const at = Instant.parse('2026-11-25T01:02:03.1234567Z');
    const whole = {
      text: 'größer 😀 "\\ \ud800',
      int32: -1,
      int64: 2n ** 63n - 1n,
      double: 3,
      bool: false,
      at,
      guid: '11111111-2222-3333-4444-55555555abcd',
      bytes: Uint8Array.of(0, 255, 1),
      json: [1, 2.5],
      stage: 'two',
    } as const;
    await repo.create({ id: 1, ...whole, json: [1, 2.5] });
    assert.deepEqual((await repo.get({ id: 1 }))?.value, { id: 1, ...whole });
    for (const double of [Number.NaN, Number.POSITIVE_INFINITY, -0, 1e300, 5e-324]) {
      const row = await repo.upsert({ id: 2, double });
      assert(Object.is(row.value.double, double), String(double));
    }
    // Of one writer all values of an hour are under one key.
    assert.equal(counted.wraps, 1);
    const ref = await repo.upsertMerge({ id: 1, text: 'new', plain: 'p' });
    await repo.merge(ref, { int32: 5 });
    const merged = (await repo.get({ id: 1 })) ?? assert.fail();
    assert.deepEqual(merged.value, { id: 1, ...whole, text: 'new', int32: 5, plain: 'p' });
    const less = await repo.merge(merged, { text: null });
    assert.equal(less.value.text, undefined);
    const error = await repo.create({ id: 3, stage: 'secret' as never }).catch((thrown: unknown) => thrown);
    assert.match(String(error), /ValueInvalid/);
    assert.doesNotMatch(String(error), /"secret"/);
  });

  test('takes as much as the service does, and no byte more', async () => {
    const repo = encryption(Sample(await peer.newTable()), { ring: RING }).repo(peer.open());
    // Format, length and name of the key, length of the wrapped key and that, nonce, tag.
    const most = 65_536 - (1 + 1 + 3 + 2 + 40 + 12 + 16);
    for (const length of [most - 1, most]) {
      const row = await repo.upsert({ id: 1, bytes: new Uint8Array(length) });
      assert.equal(row.value.bytes?.length, length);
    }
    await rejects(repo.upsert({ id: 1, bytes: new Uint8Array(most + 1) }), 'TooLarge', {
      limit: 65_536,
      size: 65_537,
    });
  });

  test('refuses a value with any byte changed, in another row, property or table, or made plain', async () => {
    const { table, own, repo } = await world();
    const { sealed } = await repo.create(ANN);
    const { sealed: other } = await repo.create({ ...ANN, id: 2, email: 'bob@x.org' });
    const refused = (value: object, at: object = {}): Promise<void> =>
      assert.rejects(
        own.open({ ...sealed, ...at, value: { ...sealed.value, ...value } }),
        /KeyUnavailable|CiphertextRefused/,
      );
    const { name, email, notes, contentKey: ownKey } = sealed.value;
    assert(email && notes && ownKey);
    for (const [property, { bytes }] of Object.entries({ name, notes, contentKey: ownKey }))
      for (let at = 0; at < bytes.length; at++)
        for (const flip of [1, 128]) {
          const changed = Uint8Array.from(bytes);
          changed[at] = (changed[at] ?? 0) ^ flip;
          const kind = property === 'contentKey' ? ownKey.constructor : Ciphertext;
          await refused({ [property]: Reflect.construct(kind, [changed]) });
        }
    for (let length = 0; length < notes.bytes.length; length++)
      await refused({ notes: new Ciphertext(notes.bytes.slice(0, length)) });
    for (const [value, at] of [
      [{ name: email }],
      [{ name: other.value.name }],
      [{ name: other.value.name, contentKey: other.value.contentKey }],
      [{ contentKey: undefined }],
      [{}, { rowKey: other.rowKey }],
      [{}, { partitionKey: 'south' }],
      [{}, { table: 'Elsewhere' }],
      [{ name: new Ciphertext(Uint8Array.of(0, 0x22, 0x41, 0x22)) }],
    ] as const)
      await refused(value, at);
    // Table names are case-insensitive.
    const cased = await own.open({ ...sealed, table: table.toUpperCase() });
    assert.equal(cased.value.name, ANN.name);
    const lost: string[] = [];
    const rest = await own.open(
      { ...sealed, value: { ...sealed.value, notes: new Ciphertext(Uint8Array.of(7)) } },
      { onLost: ({ property, error }) => void lost.push(`${property} ${error.code}`) },
    );
    assert.deepEqual(
      [rest.value.name, rest.value.notes, lost],
      [ANN.name, undefined, ['notes CiphertextRefused']],
    );
  });

  test('opens rows of a table that was copied whole, by the name of the first one', async () => {
    const { table, db, repo, raw } = await world();
    const copy = await peer.newTable();
    await repo.create(ANN);
    for (const { etag: _, timestamp: __, ...row } of await collect(raw.listEntities()))
      await peer.table(copy).createEntity(row as never);
    await rejects(repoOf(copy).get(ANN), 'CiphertextRefused');
    const own = encryption(patient(copy), { ring: RING, boundTable: table });
    assert.equal((await own.repo(db).get(ANN))?.value.name, ANN.name);
    await own.repo(db).mutate(ANN, now => now && { ...now, name: 'Ann Smith' });
    assert.equal((await own.repo(db).get(ANN))?.value.name, 'Ann Smith');
    // A ring and a bound table of the same names: other rows of the copy are none of the first table's.
    const elsewhere = encryption(patient(copy), { ring: RING, boundTable: copy });
    await rejects(elsewhere.repo(db).get(ANN), 'CiphertextRefused');
  });

  test('opens some properties that were selected together with the content key', async () => {
    const { own, repo } = await world();
    await repo.create(ANN);
    const rows = repo.rows.partition({ clinic: 'north' }).rows({ id: 1 });
    const [row] = await rows.select('name', 'contentKey').take(1);
    assert(row);
    assert.deepEqual((await own.open(row)).value, { clinic: 'north', id: 1, name: ANN.name });
    const [bare] = await rows.select('name').take(1);
    assert(bare);
    await rejects(own.open(bare), 'CiphertextRefused', { property: 'name' });
  });

  test('rotates keys while others write, from where it ended, and reports what is lost', async () => {
    const { table, db, repo } = await world();
    for (let id = 0; id < 25; id++)
      await repo.create({ ...ANN, id, email: `e${id}@x.org`, notes: undefined });
    const foreign = repoOf(table, keyRing({ current: 'gone', keys: { gone: localKey(keyOf(3)) } }));
    await foreign.create({ ...ANN, id: 90, email: 'gone@x.org' });
    const own = patients(table, BOTH);
    let writes = 0;
    // Each page by a process of its own, and a writer before it.
    const pages = await pageByPage(async function* (resume) {
      await own.repo(db).mutate({ clinic: 'north', id: 24 }, value => {
        const { emailHash: _, ...rest } = value ?? assert.fail();
        return { ...rest, ward: `W${writes}` };
      });
      writes++;
      yield* reseal(db, own, { size: 10, resume });
    });
    assert.deepEqual(
      pages.flatMap(({ lost }) => lost.map(({ rowKey, error }) => `${rowKey} ${error.code}`)),
      ['patient!000090 KeyUnavailable'],
    );
    const only = repoOf(table, NEW);
    assert.equal((await only.get({ clinic: 'north', id: 24 }))?.value.ward, `W${writes - 1}`);
    for (let id = 0; id < 25; id++)
      assert.equal((await only.get({ clinic: 'north', id }))?.value.email, `e${id}@x.org`);
    const gone = { property: 'name', keyId: 'gone' };
    await rejects(only.get({ clinic: 'north', id: 90 }), 'KeyUnavailable', gone);
    // Each error is of its own row and property, also of those that wait for one key.
    await foreign.create({ ...ANN, id: 91, email: 'more@x.org' });
    const named: string[] = [];
    await only.getMany([{ clinic: 'north', id: 90 } as const, { clinic: 'north', id: 91 } as const], {
      onLost: ({ property, error: { detail } }) => {
        assert.equal(detail.property, property);
        named.push(`${detail.rowKey} ${property}`);
      },
    });
    assert.equal(new Set(named).size, named.length);
    for (const { resealed } of await collect(reseal(db, own, { size: 10 }))) assert.equal(resealed, 0);
  });

  test('rotates the key of a row that changes between its read and its write', async () => {
    const { table, repo } = await world();
    await repo.create(ANN);
    const changes = before('PUT', () => repo.mutate(ANN, () => ({ ...ANN, ward: 'B' })));
    const db = peer.open({ httpClient: new FaultyClient(changes) });
    const pages = await collect(reseal(db, patients(table, BOTH)));
    assert.deepEqual(
      pages.map(({ resealed }) => resealed),
      [1],
    );
    assert.equal((await repoOf(table, NEW).get(ANN))?.value.ward, 'B');
  });

  test('asks the resolver, by row and property', async () => {
    const table = await peer.newTable();
    const resolver = ({ rowKey }: { readonly rowKey: string }, property: string) =>
      property === 'text' ? false : rowKey === '-2147483647' ? 'old' : 'new';
    const own = encryption(Sample(table), { ring: keyRing({ current: 'old', keys: KEYS }), resolver });
    const row = await own.repo(peer.open()).create({ id: 1, text: 'open', int32: 7 });
    assert.deepEqual(row.value, { id: 1, text: 'open', int32: 7 });
    assert(Buffer.from(row.sealed.value.text?.bytes ?? []).includes('open'));
    assert(Buffer.from(row.sealed.value.int32?.bytes ?? []).includes('new'));
    // A reader that requires encryption rejects a plain value.
    const strict = encryption(Sample(table), { ring: BOTH });
    await rejects(strict.open(row.sealed), 'CiphertextRefused', { property: 'text' });
  });

  test('takes keys of a service, which it asks as seldom as it can', async () => {
    const asked: string[] = [];
    const turned = (bytes: Uint8Array) => Uint8Array.from(bytes, byte => byte ^ 0x55);
    const current = 'https://vault/keys/k/1';
    const service = {
      wrapKey: async (algorithm: 'RSA-OAEP-256', bytes: Uint8Array) => {
        asked.push(`wrap ${algorithm}`);
        return { result: turned(bytes), keyID: current };
      },
      unwrapKey: async (algorithm: 'RSA-OAEP-256', bytes: Uint8Array) => {
        asked.push(`unwrap ${algorithm}`);
        return { result: turned(bytes) };
      },
    };
    const ring = () => keyRing({ current, keys: async () => remoteKey(service, 'RSA-OAEP-256') });
    const { table, repo } = await world(ring());
    await repo.create({ ...ANN, notes: undefined });
    assert.equal((await repo.get(ANN))?.value.name, ANN.name);
    assert.deepEqual(asked, ['wrap RSA-OAEP-256']);
    const cold = repoOf(table, ring());
    for (let at = 0; at < 3; at++) await cold.get(ANN);
    assert.deepEqual(asked, ['wrap RSA-OAEP-256', 'unwrap RSA-OAEP-256']);
  });
});

/** What an independent program, in Python with its `cryptography`, made of the form that docs/patterns/encryption.md describes: a content key of bytes 0, 1, … 31 and a nonce of bytes 100, 101, … 111. */
const VECTORS = {
  name: '016465666768696a6b6c6d6e6f6a5ab00859a339f05b117dff278596a58f01e14eabb7b747398fec',
  contentKey:
    '03036f6c640028b04f36271719b4bbc1ba2bb4f0a0a934c556c4e34c84fe9098b4f2f0d641246929bb47aa7c50e91e',
  notes:
    '02036f6c640028b04f36271719b4bbc1ba2bb4f0a0a934c556c4e34c84fe9098b4f2f0d641246929bb47aa7c50e91e6465666768696a6b6c6d6e6f6a751dd0178c749b8c67c1d8a19f0d6e680ce188c401e2',
  emailHash: 'R7trEYfmtwG-07WY9riHCWQ97maKnVdRMPU82Yz_bNU',
};

test('the form is the one that is described, to the byte', async () => {
  const random = (count: number) =>
    Uint8Array.from({ length: count }, (_, at) => (count === 32 ? at : 100 + at));
  const own = encryption(patient('Patients'), {
    ring: RING,
    hashes: { emailHash: { of: 'email', key: HASH_KEY } },
    surroundings: { random },
  });
  const sealed = await own.seal({
    clinic: 'north',
    id: 1,
    ward: 'A',
    name: 'Ann Jones',
    notes: 'nöne',
    email: 'ann@x.org',
  });
  const hex = ({ bytes }: { readonly bytes: Uint8Array } = { bytes: new Uint8Array() }) =>
    Buffer.from(bytes).toString('hex');
  const { name, contentKey: ofRow, notes, emailHash } = sealed;
  assert.deepEqual({ name: hex(name), contentKey: hex(ofRow), notes: hex(notes), emailHash }, VECTORS);
});

test('keys of self-contained values are new after an hour', async () => {
  let now = 0;
  const counted = countingKey();
  const own = encryption(Sample('Samples'), { ring: counted.ring, surroundings: { now: () => now } });
  for (const [at, wraps] of [
    [0, 1],
    [3_599_999, 1],
    [3_600_000, 2],
  ] as const) {
    now = at;
    await own.seal({ id: 1, int32: 1 });
    assert.equal(counted.wraps, wraps);
  }
});

test('definitions that could not work are refused', () => {
  const props = { id: t.int32(), name: encrypted(t.string()) };
  const make = (more: object) =>
    entity('Broken', {
      version: 1,
      table: 'Broken',
      props: { ...props, ...more },
      partition: key('b'),
      row: p => key(p.id),
    });
  const hashes = { name: { of: 'id', key: HASH_KEY } };
  for (const [body, reason] of [
    [() => encryption(make({}), { ring: RING }), /contentKey\(\)/],
    [() => encryption(make({ a: contentKey(), b: contentKey() }), { ring: RING }), /two properties/],
    [() => encryption(make({ key: contentKey() }), { ring: RING, hashes }), /a keyed hash is a t.string/],
    [() => encrypted(t.created()), /fills/],
    [() => localKey(new Uint8Array(31)), /has 31 bytes/],
    [() => keyRing({ current: 'none', keys: KEYS }), /none of its keys/],
    [() => keyRing({ current: '', keys: KEYS }), /0 bytes/],
    [() => keyRing({ current: 'k'.repeat(256), keys: () => KEYS.old }), /256 bytes/],
  ] as const)
    assert.throws(body, reason);
  keyRing({ current: 'k'.repeat(255), keys: () => KEYS.old });
  const keyed = { version: 1, table: 'Keyed', props, partition: key('k') } as const;
  // @ts-expect-error An encrypted property is in no key.
  assert.throws(() => entity('Keyed', { ...keyed, row: p => key(p.name) }), /name is encrypted/);
});
