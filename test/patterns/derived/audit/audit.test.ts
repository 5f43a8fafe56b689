// Audits of index rows: missing, stale, orphaned and unreadable rows are found and repaired, page by page, while others write; and writes fix the ones they meet.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableClient } from '@azure/data-tables';
import type { AnyEntity, Db } from '#patterns';
import { audit, type Finding } from '#patterns/audit';
import { before, FaultyClient, faultAt } from '../../support/faulty-client.js';
import { ann, assertExact, ben, Person, rowsIn } from '../../support/indexed-entity.js';
import { describePeers, type Peer } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';

async function people(peer: Peer) {
  const table = await peer.newTable();
  const httpClient = new FaultyClient();
  const db = peer.open({ httpClient, sleep: async () => undefined });
  const repo = db.repo(Person, { table });
  const row = await repo.create(ann);
  const other = await repo.create(ben);
  return { table, db, repo, row, other, raw: peer.table(table), httpClient };
}

type AuditOptions<E extends AnyEntity> = NonNullable<Parameters<typeof audit<E>>[2]>;

async function audited(db: Db, table: string, options: AuditOptions<typeof Person> = {}) {
  const findings: Finding<typeof Person>[] = [];
  for await (const progress of audit(db, Person, { table, ...options })) findings.push(...progress.findings);
  return findings;
}

const said = (findings: readonly Finding<typeof Person>[]): readonly string[] =>
  findings.map(({ fault, of, rowKey, isRepaired }) =>
    [fault, of, rowKey, ...(isRepaired ? ['repaired'] : [])].join(' '),
  );

const ANN_EMAIL = 'email!ann@x.0org';
const ANN_NAME = 'name!Jones!person!000001';

/** Index rows as programs may leave them that know no index, and what an audit says of each. */
const DRIFTS: readonly {
  readonly name: string;
  readonly plant: (raw: TableClient) => Promise<unknown>;
  readonly says: readonly string[];
  readonly isRepairable: boolean;
}[] = [
  {
    name: 'an index row is missing',
    plant: raw => raw.deleteEntity('Sales', ANN_EMAIL),
    says: [`missing byEmail ${ANN_EMAIL}`],
    isRepairable: true,
  },
  {
    name: 'an index row is stale',
    plant: raw => raw.updateEntity({ partitionKey: 'Sales', rowKey: ANN_NAME, email: 'old@x.org' }, 'Merge'),
    says: [`stale byName ${ANN_NAME}`],
    isRepairable: true,
  },
  {
    name: 'the entity was changed by a program without indexes',
    plant: raw =>
      raw.updateEntity({ partitionKey: 'Sales', rowKey: 'person!000001', email: 'new@x.org' }, 'Merge'),
    says: ['missing byEmail email!new@x.0org', `stale byName ${ANN_NAME}`, `orphan byEmail ${ANN_EMAIL}`],
    isRepairable: true,
  },
  {
    name: 'the entity was deleted alone',
    plant: raw => raw.deleteEntity('Sales', 'person!000001'),
    says: [
      `orphan byEmail ${ANN_EMAIL}`,
      `orphan byName ${ANN_NAME}`,
      'orphan byBadge badge!2147483655!person!000001',
    ],
    isRepairable: true,
  },
  {
    name: 'another living row has the key',
    plant: async raw => {
      await raw.updateEntity({ partitionKey: 'Sales', rowKey: 'person!000001', email: 'ben@x.org' }, 'Merge');
      await raw.deleteEntity('Sales', ANN_EMAIL);
      await raw.updateEntity({ partitionKey: 'Sales', rowKey: ANN_NAME, email: 'ben@x.org' }, 'Merge');
    },
    says: ['missing byEmail email!ben@x.0org'],
    isRepairable: false,
  },
  {
    name: 'rows stand where they cannot be read',
    plant: async raw => {
      await raw.createEntity({ partitionKey: 'Sales', rowKey: 'email!strange', EntityType: 'Stranger.1' });
      await raw.createEntity({ partitionKey: 'Sales', rowKey: 'person!x', EntityType: 'Person.1' });
    },
    says: ['unreadable Person person!x', 'unreadable byEmail email!strange'],
    isRepairable: false,
  },
];

describePeers('audits', peer => {
  for (const { name, plant, says, isRepairable } of DRIFTS)
    test(`${name}: it is found, and set right where that can be`, async () => {
      const { db, table, raw } = await people(peer);
      assert.deepEqual(await audited(db, table), []);
      await plant(raw);
      assert.deepEqual(said(await audited(db, table)), says);
      const repaired = await audited(db, table, { repair: true });
      assert.deepEqual(said(repaired), isRepairable ? says.map(each => `${each} repaired`) : says);
      if (!isRepairable) return;
      assert.deepEqual(said(await audited(db, table)), []);
      await assertExact(db, table);
    });

  test('a finding has the address of the row and the key of its entity', async () => {
    const { db, table, raw } = await people(peer);
    await raw.deleteEntity('Sales', ANN_EMAIL);
    assert.deepEqual(await audited(db, table), [
      {
        table,
        partitionKey: 'Sales',
        rowKey: ANN_EMAIL,
        fault: 'missing',
        of: 'byEmail',
        key: ann,
        isRepaired: false,
        reason: undefined,
      },
    ]);
    await raw.createEntity({ partitionKey: 'Sales', rowKey: ANN_EMAIL, EntityType: 'Stranger.1' });
    const [found] = await audited(db, table);
    assert.equal(found?.reason?.code, 'WrongEntity');
  });

  test('it goes on by a token, in this process or another', async () => {
    const { db, table, repo, raw } = await people(peer);
    for (let id = 10; id < 16; id++) await repo.create({ ...ann, id, email: `${id}` });
    await raw.deleteEntity('Sales', 'email!10');
    await raw.deleteEntity('Sales', 'person!000012');
    const whole = said(await audited(db, table));
    assert.equal(whole.length, 4);
    const pieces: string[] = [];
    let resume: string | undefined;
    let pages = 0;
    do {
      const { value } = await audit(db, Person, { table, size: 3, resume }).next();
      assert(value);
      pieces.push(...said(value.findings));
      resume = value.next;
      pages++;
    } while (resume !== undefined);
    assert.deepEqual(pieces.toSorted(), whole.toSorted());
    assert(pages > 8);
    const { value } = await audit(db, Person, { table, size: 3 }).next();
    const elsewhere = audit(db, Person, { table, partition: { department: 'Sales' }, resume: value?.next });
    await rejects(elsewhere.next(), 'TokenMismatch');
  });

  test('of one partition it reads no other', async () => {
    const { db, table, repo, raw } = await people(peer);
    await repo.create({ ...ann, department: 'Other' });
    await raw.deleteEntity('Other', ANN_EMAIL);
    assert.deepEqual(await audited(db, table, { partition: { department: 'Sales' } }), []);
    assert.equal((await audited(db, table, { partition: { department: 'Other' } })).length, 1);
  });

  test('a repair never wins against a writer', async () => {
    const { table, raw, repo } = await people(peer);
    await raw.deleteEntity('Sales', ANN_EMAIL);
    const httpClient = new FaultyClient(
      before('POST', () => repo.merge({ key: ann, etag: '*' }, { email: 'w' })),
    );
    const db = peer.open({ httpClient, sleep: async () => undefined });
    // Audits the entity's rows only: the later index phase would remove what a wrong repair leaves.
    const { value } = await audit(db, Person, { table, repair: true }).next();
    assert.equal(value?.phase, 'Person');
    assert.equal((await repo.get(ann))?.value.email, 'w');
    await assertExact(db, table);
  });

  test('an orphan that a row takes over meanwhile stays', async () => {
    const { table, raw, repo, row } = await people(peer);
    await raw.deleteEntity('Sales', 'person!000002');
    const httpClient = new FaultyClient(before('DELETE', () => repo.merge(row, { email: ben.email })));
    const db = peer.open({ httpClient });
    await audited(db, table, { repair: true });
    assert.equal((await repo.get(ann))?.value.email, ben.email);
    await assertExact(db, table);
  });

  test('no finding is told of rows that others write meanwhile', async () => {
    const { db, table, repo } = await people(peer);
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; !isOver; n++) {
        await repo.upsert({ ...ann, email: `a${n}`, last: `l${n % 3}` });
        if (n % 3 === 0) await repo.delete({ key: ben, etag: '*' }).catch(() => undefined);
        else await repo.upsert({ ...ben, email: `b${n}` });
      }
    })();
    try {
      for (let n = 0; n < 8; n++) assert.deepEqual(said(await audited(db, table)), []);
    } finally {
      isOver = true;
      await writing;
    }
    await assertExact(db, table);
  });
});

describePeers('index rows that are not as they should be', peer => {
  test('one that is missing does not block a change of its key, nor a delete', async () => {
    const { db, table, repo, row, other, raw } = await people(peer);
    await raw.deleteEntity('Sales', ANN_EMAIL);
    await raw.deleteEntity('Sales', 'email!ben@x.0org');
    await repo.merge(row, { email: 'new@x.org' });
    await repo.delete(other);
    await assertExact(db, table);
  });

  test('one that is missing is created by a change of what it copies', async () => {
    const { db, table, repo, row, raw, httpClient } = await people(peer);
    await raw.deleteEntity('Sales', ANN_EMAIL);
    const before = httpClient.count;
    await repo.merge(row, { last: 'Low' });
    assert.equal(httpClient.count - before, 2);
    await assertExact(db, table);
  });

  test('a left-over row of a unique key is taken over', async () => {
    const { db, table, repo, row, raw } = await people(peer);
    await raw.deleteEntity('Sales', 'person!000002');
    await repo.merge(row, { email: ben.email });
    const hit = await repo.index('byEmail').get({ department: 'Sales', email: ben.email });
    assert.equal(hit?.value.id, 1);
    await repo.create({ ...ben, email: ann.email });
    await assertExact(db, table);
  });

  test('so is one of a row that has another key now, and one of the row itself', async () => {
    const { db, table, repo, raw, other } = await people(peer);
    const moved = { partitionKey: 'Sales', rowKey: 'person!000001', email: 'moved@x.org' };
    await raw.updateEntity(moved, 'Merge');
    await repo.merge(other, { email: ann.email });
    const row = await repo.get(ann);
    assert(row);
    await raw.upsertEntity({
      partitionKey: 'Sales',
      rowKey: 'email!next@x.0org',
      EntityType: 'Person.byEmail.1',
      id: 1,
      email: 'next@x.org',
      last: 'x',
    });
    await repo.merge(row, { email: 'next@x.org' });
    await assertExact(db, table);
  });

  test('a row that cannot be read keeps its key', async () => {
    const { db, table, repo, row, raw } = await people(peer);
    await raw.createEntity({ partitionKey: 'Sales', rowKey: 'email!strange', EntityType: 'Stranger.1' });
    await rejects(repo.merge(row, { email: 'strange' }), 'UniqueViolation', { index: 'byEmail' });
    assert.equal((await rowsIn(db, table)).includes('email!strange'), true);
  });

  test('two writers that take over one left-over row: one of them wins', async () => {
    for (let n = 0; n < 5; n++) {
      const { db, table, repo, row, raw } = await people(peer);
      await raw.deleteEntity('Sales', 'person!000002');
      await raw.deleteEntity('Sales', 'name!Jones!person!000002');
      const eve = { ...ann, id: 3, email: ben.email };
      const outcomes = await Promise.allSettled([repo.merge(row, { email: ben.email }), repo.create(eve)]);
      const won = outcomes.filter(({ status }) => status === 'fulfilled');
      assert.equal(won.length, 1);
      await assertExact(db, table);
    }
  });

  test('a delete whose answer was lost is done, though another row took its unique key since', async () => {
    const { table, repo, row, other } = await people(peer);
    let left = 1;
    const httpClient = new FaultyClient(faultAt('reset after', 0), async () => {
      if (left-- > 0) await repo.merge(other, { email: ann.email });
    });
    const db = peer.open({ httpClient });
    await db.repo(Person, { table }).delete(row);
    assert.equal(await repo.get(ann), undefined);
    await assertExact(db, table);
  });
});
