// What an encrypted property may not be in: keys, copies, lists and every kind of index, each refused by name where it is declared; and its keyed hash, which may.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codec, entity, key, PatternError, t } from '#patterns';
import { embed } from '#patterns/copies';
import { contentKey, encrypted, encryption, keyRing, localKey } from '#patterns/encryption';
import { move } from '#patterns/flows';
import { near, remote } from '#patterns/indexes';
import { listed, listOf } from '#patterns/lists';
import { series } from '#patterns/series';
import { wide } from '#patterns/wide';
import { describePeers } from '../support/peers.js';
import { rejects } from '../support/rejects.js';

const keyOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const ring = keyRing({ current: 'one', keys: { one: localKey(keyOf(1)) } });
const hashes = { emailHash: { of: 'email', key: keyOf(9) } };

const props = {
  clinic: t.string(),
  id: t.int32(),
  email: encrypted(t.string()),
  notes: encrypted(t.string().long(), 'self-contained').optional(),
  emailHash: t.string(),
  contentKey: contentKey(),
};

/** As a program without a compiler gives it. */
const patient = (more: object = {}, table = 'Patients') =>
  entity('Patient', {
    version: 1,
    table,
    props,
    partition: p => key('clinic', p.clinic),
    row: p => key('patient', p.id.as(codec.int(6))),
    ...(more as { readonly indexes?: Record<never, never> }),
  });

type Parts = Readonly<Record<string, never>>;
const by = (name: string) => (p: Parts) => key('by', p[name] as never);
const far = { kind: remote } as const;

/** By what is declared: with `email`, and with what is declared instead. */
const INDEXES: Readonly<Record<string, (name: string) => unknown>> = {
  'the key of an index in the partition': name => patient({ indexes: { x: { kind: near, row: by(name) } } }),
  'the key of a unique index in the partition': name =>
    patient({ indexes: { x: { kind: near, row: by(name), unique: true } } }),
  'the partition key of a remote index': name =>
    patient({ indexes: { x: { ...far, partition: by(name), row: key('x') } } }),
  'the row key of a remote index': name =>
    patient({ indexes: { x: { ...far, partition: key('x'), row: by(name) } } }),
  'the key of a remote unique index': name =>
    patient({ indexes: { x: { ...far, partition: by(name), row: key('x'), unique: true } } }),
  'the key of an index in a table of its own': name =>
    patient({ indexes: { x: { ...far, table: 'Emails', partition: by(name), row: key('x') } } }),
  'the rows of an index in the partition': name =>
    patient({ indexes: { x: { kind: near, row: by('id'), project: [name] } } }),
  'the rows of a remote index': name =>
    patient({ indexes: { x: { ...far, partition: by('id'), row: key('x'), project: [name] } } }),
  'a list in the partition': name =>
    listOf(patient(), 'x', { where: 'same-partition', row: by(name) as never }),
  'a remote list': name =>
    listOf(patient(), 'x', { where: 'remote', partition: by(name) as never, row: key('x') }),
  'a list in blobs': name =>
    listOf(patient(), 'x', { where: 'blob', container: 'xxx', blob: by(name) as never }),
  'copies in other rows': name => embed('patient', patient(), [name as 'emailHash']),
  'the partition key': name => patient({ partition: by(name) }),
  'the row key': name => patient({ row: by(name) }),
};

const refusedFor = (name: string, reason: RegExp) => (thrown: unknown) => {
  assert(PatternError.is(thrown, 'DefinitionInvalid'), String(thrown));
  assert.match(thrown.message, new RegExp(`\\b${name}\\b`));
  assert.match(thrown.message, reason);
  return true;
};

describe('encrypted properties', () => {
  for (const [what, declare] of Object.entries(INDEXES))
    test(`are refused in ${what}, where a keyed hash is not`, () => {
      for (const name of ['email', 'notes'])
        assert.throws(() => declare(name), refusedFor(name, /is encrypted, .* keyed hash/));
      assert.throws(() => declare('contentKey'), refusedFor('contentKey', /is the content key of its row/));
      assert.doesNotThrow(() => declare('emailHash'));
    });

  test('are refused in rows that are moved, and in several rows', () => {
    const [one, other] = [patient(), patient({}, 'Archive')];
    const moving = (to: typeof one) =>
      move('archive', { from: one, to, become: value => value, keyOf: at => at, toTable: 'Archive' });
    assert.throws(() => moving(other), refusedFor('email', /is encrypted/));
    assert.throws(() => moving(one), refusedFor('email', /is encrypted/));
    assert.throws(
      () => wide('Wide', { version: 1, table: 'Wide', props, partition: key('w'), row: p => key(p.id) }),
      refusedFor('email', /entities of one row only/),
    );
  });

  test('are refused in whole copies', () => {
    for (const index of [
      { kind: near, row: by('id'), project: 'all' },
      { ...far, partition: by('id'), row: key('x'), project: 'all' },
    ])
      assert.throws(() => patient({ indexes: { x: index } }), refusedFor('email', /is encrypted/));
  });

  test('are refused in the slots of a series, and around them', () => {
    assert.throws(() => series(encrypted(t.int32()) as never, 4), /DefinitionInvalid/);
    assert.throws(() => encrypted(series(t.int32(), 4)), /DefinitionInvalid/);
  });
});

/** Lists are kept from their definition on, so that each test has an entity of its own. */
const members = (table: string) => {
  const Member = entity('Member', {
    version: 1,
    table,
    props,
    partition: p => key(p.clinic),
    row: p => key('member', p.id.as(codec.int(6))),
    indexes: { byEmail: { kind: near, row: p => key('email', p.emailHash), unique: true } },
  });
  const sameEmail = listOf(Member, 'sameEmail', {
    where: 'same-partition',
    row: p => key('same', p.emailHash),
  });
  return { Member, sameEmail };
};

describePeers('keyed hashes', peer => {
  test('keep lists and unique keys with every write of the open values', async () => {
    const { Member, sameEmail } = members(await peer.newTable());
    const db = peer.open();
    const own = encryption(Member, { ring, hashes });
    const repo = own.repo(db);
    const ann = { clinic: 'north', id: 1 };
    const lists = listed(db, Member, [sameEmail]);
    const idsOf = async (email: string): Promise<readonly string[]> =>
      lists.ids(sameEmail, { clinic: 'north', emailHash: await own.hash('emailHash', email) });
    await repo.create({ ...ann, email: 'a@x.org' });
    await rejects(repo.create({ ...ann, id: 2, email: 'a@x.org' }), 'UniqueViolation');
    assert.deepEqual([await idsOf('a@x.org'), await idsOf('b@x.org')], [['member!000001'], []]);
    const moved = await repo.mutate(ann, value => value && { ...ann, email: 'b@x.org' });
    assert.deepEqual([await idsOf('a@x.org'), await idsOf('b@x.org')], [[], ['member!000001']]);
    assert(moved);
    await repo.delete(moved);
    assert.deepEqual(await idsOf('b@x.org'), []);
    await repo.create({ ...ann, id: 2, email: 'b@x.org' });
  });
});
