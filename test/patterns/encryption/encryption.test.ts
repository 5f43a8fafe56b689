// Encrypted properties: what stands in the table, what opens and what does not, writes of every kind, keys that come and go.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { codec, entity, type Instant, key, PatternError, remove, Instant as Time, t } from '#patterns';
import { change, writeAll } from '#patterns/bulk';
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
import { before, FaultyClient } from '../support/faulty-client.js';
import { describePeers } from '../support/peers.js';
import { rejects } from '../support/rejects.js';

const keyOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const KEYS = { old: localKey(keyOf(1)), new: localKey(keyOf(2)) };
const RING = keyRing({ current: 'old', keys: KEYS });
const HASH_KEY = keyOf(9);
const ANN = { clinic: 'north', id: 1, name: 'Ann Jones', email: 'Ann@x.org', notes: 'none', ward: 'A' };

const countingKey = () => {
  const counted = {
    wraps: 0,
    key: {
      ...KEYS.old,
      wrap: (bytes: Uint8Array): Promise<Uint8Array> => {
        counted.wraps++;
        return KEYS.old.wrap(bytes);
      },
    },
  };
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
  const opened = () => peer.open();

  test('hides values from everyone without the keys, and gives them back', async () => {
    const table = await peer.newTable();
    const own = patients(table);
    const repo = own.repo(opened());
    const created = await repo.create(ANN);
    assert.deepEqual(created.value, { ...ANN, emailHash: await own.hash('emailHash', 'ANN@x.org') });
    const name: string = created.value.name;
    assert.equal(name, 'Ann Jones');
    const found = await repo.get({ clinic: 'north', id: 1 });
    assert.deepEqual(found?.value, created.value);
    for await (const row of peer.table(table).listEntities()) {
      const text =
        JSON.stringify(row) +
        Object.values(row)
          .map(each => (each instanceof Uint8Array ? Buffer.from(each).toString() : ''))
          .join();
      for (const secret of ['Ann', 'Jones', 'x.org', 'none']) assert(!text.includes(secret), text);
    }
    const [row] = await repo.rows.partition({ clinic: 'north' }).take(1);
    assert(row?.value.name instanceof Ciphertext);
    // A second row of the same values has other bytes: nonces and keys are new.
    const other = await repo.create({ ...ANN, id: 2, email: 'bob@x.org' });
    assert.notDeepEqual(other.sealed.value.name.bytes, row.value.name.bytes);
  });

  test('finds rows by a keyed hash, and keeps its index unique', async () => {
    const own = patients(await peer.newTable());
    const repo = own.repo(opened());
    await repo.create(ANN);
    const emailHash = await own.hash('emailHash', 'ann@X.ORG');
    const hits = repo.rows.partition({ clinic: 'north' }).where(p => p.emailHash.eq(emailHash));
    const found = [];
    for await (const row of own.openAll(hits.stream())) found.push(row.value.name);
    assert.deepEqual(found, ['Ann Jones']);
    await rejects(repo.create({ ...ANN, id: 2, email: 'ann@x.org' }), 'UniqueViolation');
    await repo.create({ ...ANN, id: 3, email: undefined });
    await rejects(repo.create({ ...ANN, id: 4, emailHash: 'mine' } as never), 'ValueInvalid', {
      property: 'emailHash',
    });
  });

  test('writes by every name, and refuses merges of values under the key of their row', async () => {
    const own = patients(await peer.newTable());
    const repo = own.repo(opened());
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
    const stored = await repo.rows.get(ANN);
    assert(stored);
    await rejects(repo.rows.merge(stored, { name: stranger.name } as never), 'ValueInvalid');
    const stays = { property: 'contentKey', expected: 'what it is' } as const;
    for (const gone of [null, remove] as const) {
      await rejects(async () => repo.rows.merge(stored, { contentKey: gone }), 'ValueInvalid', stays);
      const batch = opened().batch(own.entity, ANN, { table: stored.table });
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
    const db = opened();
    const repo = own.repo(db);
    await repo.create({ id: 1, a: 'a' });
    const sealed = await own.seal({ id: 1, b: 'b' });
    const refused = { property: 'b', expected: 'a write of the whole row' } as const;
    await rejects(repo.upsertMerge({ id: 1, b: 'b' }), 'ValueInvalid', refused);
    await rejects(async () => repo.rows.upsertMerge(sealed), 'ValueInvalid', refused);
    await rejects(async () => db.batch(Note, {}).upsertMerge(Note, sealed).commit(), 'ValueInvalid', refused);
    for await (const report of writeAll(db, [change.upsertMerge(Note, sealed)]))
      assert(report.kind === 'failed' && PatternError.is(report.error, 'ValueInvalid'), report.kind);
    assert.deepEqual((await repo.get({ id: 1 }))?.value, { id: 1, a: 'a' });
  });

  test('goes through batches that have what was sealed', async () => {
    const own = patients(await peer.newTable());
    const db = opened();
    const batch = db.batch(own.entity, { clinic: 'north' });
    const sealed = [await own.seal(ANN), await own.seal({ ...ANN, id: 2, email: 'bob@x.org' })] as const;
    await batch.create(own.entity, sealed[0]).create(own.entity, sealed[1]).commit();
    assert.equal((await own.repo(db).get({ clinic: 'north', id: 2 }))?.value.email, 'bob@x.org');
  });

  test('has values of every type, and merges those that bring their keys along', async () => {
    const table = await peer.newTable();
    const counted = countingKey();
    const repo = encryption(Sample(table), {
      ring: keyRing({ current: 'old', keys: { old: counted.key } }),
    }).repo(opened());
    const at: Instant = Time.parse('2026-11-25T01:02:03.1234567Z');
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
    const merged = await repo.get({ id: 1 });
    assert.deepEqual(merged?.value, { id: 1, ...whole, text: 'new', int32: 5, plain: 'p' });
    assert(merged);
    const less = await repo.merge(merged, { text: null });
    assert.equal(less.value.text, undefined);
    const error = await repo.create({ id: 3, stage: 'secret' as never }).catch((thrown: unknown) => thrown);
    assert.match(String(error), /ValueInvalid/);
    assert.doesNotMatch(String(error), /"secret"/);
  });

  test('takes as much as the service does, and no byte more', async () => {
    const repo = encryption(Sample(await peer.newTable()), { ring: RING }).repo(opened());
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
    const table = await peer.newTable();
    const own = patients(table);
    const db = opened();
    const repo = own.repo(db);
    const { sealed } = await repo.create(ANN);
    const { sealed: other } = await repo.create({ ...ANN, id: 2, email: 'bob@x.org' });
    const refused = async (value: object, at: object = {}): Promise<void> => {
      const error: unknown = await own.open({ ...sealed, ...at, value: { ...sealed.value, ...value } }).then(
        row => assert.fail(JSON.stringify(row.value)),
        (thrown: unknown) => thrown,
      );
      assert.match(String(error), /KeyUnavailable|CiphertextRefused/);
    };
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
    await refused({ name: email });
    await refused({ name: other.value.name });
    await refused({ name: other.value.name, contentKey: other.value.contentKey });
    await refused({ contentKey: undefined });
    await refused({}, { rowKey: other.rowKey });
    await refused({}, { partitionKey: 'south' });
    await refused({}, { table: 'Elsewhere' });
    await refused({ name: new Ciphertext(Uint8Array.of(0, 0x22, 0x41, 0x22)) });
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
    const [table, copy] = [await peer.newTable(), await peer.newTable()];
    const db = opened();
    await patients(table).repo(db).create(ANN);
    for await (const { etag: _, timestamp: __, ...row } of peer.table(table).listEntities())
      await peer.table(copy).createEntity(row as never);
    await rejects(patients(copy).repo(db).get(ANN), 'CiphertextRefused');
    const own = encryption(patient(copy), { ring: RING, boundTable: table });
    assert.equal((await own.repo(db).get(ANN))?.value.name, ANN.name);
    await own.repo(db).mutate(ANN, now => now && { ...now, name: 'Ann Smith' });
    assert.equal((await own.repo(db).get(ANN))?.value.name, 'Ann Smith');
    // A ring and a bound table of the same names: other rows of the copy are none of the first table's.
    const elsewhere = encryption(patient(copy), { ring: RING, boundTable: copy });
    await rejects(elsewhere.repo(db).get(ANN), 'CiphertextRefused');
  });

  test('opens some properties that were selected together with the content key', async () => {
    const own = patients(await peer.newTable());
    const repo = own.repo(opened());
    await repo.create(ANN);
    const [row] = await repo.rows
      .partition({ clinic: 'north' })
      .rows({ id: 1 })
      .select('name', 'contentKey')
      .take(1);
    assert(row);
    assert.deepEqual((await own.open(row)).value, { clinic: 'north', id: 1, name: ANN.name });
    const [bare] = await repo.rows.partition({ clinic: 'north' }).rows({ id: 1 }).select('name').take(1);
    assert(bare);
    await rejects(own.open(bare), 'CiphertextRefused', { property: 'name' });
  });

  test('rotates keys while others write, from where it ended, and reports what is lost', async () => {
    const table = await peer.newTable();
    const db = opened();
    const before = patients(table).repo(db);
    for (let id = 0; id < 25; id++)
      await before.create({ ...ANN, id, email: `e${id}@x.org`, notes: undefined });
    const foreign = patients(table, keyRing({ current: 'gone', keys: { gone: localKey(keyOf(3)) } }));
    await foreign.repo(db).create({ ...ANN, id: 90, email: 'gone@x.org' });
    const own = patients(table, keyRing({ current: 'new', keys: KEYS }));
    const after = own.repo(db);
    let [next, pages]: [string | undefined, number] = [undefined, 0];
    const found: string[] = [];
    // Each page by a process of its own, and a writer between them.
    for (;;) {
      const { value: progress } = await reseal(db, own, { size: 10, resume: next }).next();
      assert(progress);
      pages++;
      found.push(...progress.lost.map(({ rowKey, error }) => `${rowKey} ${error.code}`));
      await after.mutate({ clinic: 'north', id: 24 }, value => {
        const { emailHash: _, ...rest } = value ?? assert.fail();
        return { ...rest, ward: `W${pages}` };
      });
      next = progress.next;
      if (next === undefined) break;
    }
    assert.deepEqual(found, ['patient!000090 KeyUnavailable']);
    const only = patients(table, keyRing({ current: 'new', keys: { new: KEYS.new } })).repo(db);
    for (let id = 0; id < 25; id++) {
      const row = await only.get({ clinic: 'north', id });
      assert.equal(row?.value.email, `e${id}@x.org`);
    }
    assert.equal((await only.get({ clinic: 'north', id: 24 }))?.value.ward, `W${pages}`);
    await rejects(only.get({ clinic: 'north', id: 90 }), 'KeyUnavailable', {
      property: 'name',
      keyId: 'gone',
    });
    for await (const { resealed } of reseal(db, own, { size: 10 })) assert.equal(resealed, 0);
  });

  test('rotates the key of a row that changes between its read and its write', async () => {
    const table = await peer.newTable();
    const old = patients(table).repo(opened());
    await old.create(ANN);
    const changes = before('PUT', () => old.mutate(ANN, () => ({ ...ANN, ward: 'B' })));
    const own = patients(table, keyRing({ current: 'new', keys: KEYS }));
    const db = peer.open({ httpClient: new FaultyClient(changes) });
    for await (const { resealed } of reseal(db, own)) assert.equal(resealed, 1);
    const only = patients(table, keyRing({ current: 'new', keys: { new: KEYS.new } }));
    assert.equal((await only.repo(opened()).get(ANN))?.value.ward, 'B');
  });

  test('asks the resolver, by row and property', async () => {
    const table = await peer.newTable();
    const db = opened();
    const resolver = ({ rowKey }: { readonly rowKey: string }, property: string) =>
      property === 'text' ? false : rowKey === '-2147483647' ? 'old' : 'new';
    const own = encryption(Sample(table), { ring: keyRing({ current: 'old', keys: KEYS }), resolver });
    const repo = own.repo(db);
    const row = await repo.create({ id: 1, text: 'open', int32: 7 });
    assert.deepEqual(row.value, { id: 1, text: 'open', int32: 7 });
    assert(Buffer.from(row.sealed.value.text?.bytes ?? []).includes('open'));
    assert(Buffer.from(row.sealed.value.int32?.bytes ?? []).includes('new'));
    // A reader that requires encryption rejects a plain value.
    const strict = encryption(Sample(table), { ring: keyRing({ current: 'new', keys: KEYS }) });
    await rejects(strict.open(row.sealed), 'CiphertextRefused', { property: 'text' });
  });

  test('takes keys of a service, which it asks as seldom as it can', async () => {
    const asked: string[] = [];
    const service = {
      wrapKey: async (algorithm: 'RSA-OAEP-256', bytes: Uint8Array) => {
        asked.push(`wrap ${algorithm}`);
        return { result: Uint8Array.from(bytes, byte => byte ^ 0x55), keyID: 'https://vault/keys/k/1' };
      },
      unwrapKey: async (algorithm: 'RSA-OAEP-256', bytes: Uint8Array) => {
        asked.push(`unwrap ${algorithm}`);
        return { result: Uint8Array.from(bytes, byte => byte ^ 0x55) };
      },
    };
    const ring = () =>
      keyRing({ current: 'https://vault/keys/k/1', keys: async () => remoteKey(service, 'RSA-OAEP-256') });
    const table = await peer.newTable();
    const repo = patients(table, ring()).repo(opened());
    await repo.create({ ...ANN, notes: undefined });
    assert.equal((await repo.get(ANN))?.value.name, ANN.name);
    assert.deepEqual(asked, ['wrap RSA-OAEP-256']);
    const cold = patients(table, ring()).repo(opened());
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
  const own = encryption(Sample('Samples'), {
    ring: keyRing({ current: 'old', keys: { old: counted.key } }),
    surroundings: { now: () => now },
  });
  for (const at of [0, 1, 3_599_999]) {
    now = at;
    await own.seal({ id: 1, int32: 1 });
    assert.equal(counted.wraps, 1);
  }
  now = 3_600_000;
  await own.seal({ id: 1, int32: 1 });
  assert.equal(counted.wraps, 2);
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
  const refused = (body: () => unknown, reason: RegExp) => assert.throws(body, reason);
  refused(() => encryption(make({}), { ring: RING }), /contentKey\(\)/);
  refused(() => encryption(make({ a: contentKey(), b: contentKey() }), { ring: RING }), /two properties/);
  refused(() => encrypted(t.created()), /fills/);
  refused(() => localKey(new Uint8Array(31)), /has 31 bytes/);
  refused(() => keyRing({ current: 'none', keys: KEYS }), /none of its keys/);
  refused(() => keyRing({ current: '', keys: KEYS }), /0 bytes/);
  for (const length of [255, 256])
    assert[length === 255 ? 'doesNotThrow' : 'throws'](() =>
      keyRing({ current: 'k'.repeat(length), keys: () => KEYS.old }),
    );
  refused(
    () =>
      encryption(make({ key: contentKey() }), { ring: RING, hashes: { name: { of: 'id', key: HASH_KEY } } }),
    /a keyed hash is a t.string/,
  );
  const keyed = { version: 1, table: 'Keyed', props, partition: key('k') } as const;
  // @ts-expect-error An encrypted property is in no key.
  refused(() => entity('Keyed', { ...keyed, row: p => key(p.name) }), /name is encrypted/);
});
