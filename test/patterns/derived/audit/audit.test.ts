// Audits of index rows, near and remote: missing, stale, orphaned and unreadable rows are found and repaired, page by page, while others write; and writes fix the near ones that they meet.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableClient, TableEntity } from '@azure/data-tables';
import type { AnyEntity, Db } from '#patterns';
import { audit, type Finding } from '#patterns/audit';
import { findingsOf, pageByPage } from '../../support/collect.js';
import { before, FaultyClient, faultAt } from '../../support/faulty-client.js';
import { ann, assertExact, ben, Person } from '../../support/indexed-entity.js';
import { describePeers, fresh, nextTurn, type Peer } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';
import * as remote from '../remote/remote-world.js';

type AuditOptions = NonNullable<Parameters<typeof audit>[2]>;

const said = (findings: readonly Finding[]): readonly string[] =>
  findings.map(({ fault, of, partitionKey, rowKey, isRepaired }) =>
    [fault, of, partitionKey === 'Sales' ? rowKey : partitionKey, ...(isRepaired ? ['repaired'] : [])].join(
      ' ',
    ),
  );

const auditsOf = (db: Db, entity: AnyEntity, table: string) => ({
  pages: (options: AuditOptions = {}) => audit(db, entity, { table, ...options }),
  audited: async (options: AuditOptions = {}) =>
    said(await findingsOf(audit(db, entity, { table, ...options }))),
});

/** Ann and Ben, and their index rows in their partition. */
async function people(peer: Peer) {
  const made = await fresh(peer, Person, { sleep: nextTurn });
  const { db, table, repo } = made;
  const [row, other] = [await repo.create(ann), await repo.create(ben)];
  const exact = () => assertExact(db, table);
  return { ...made, peer, row, other, own: made.raw, exact, ...auditsOf(db, Person, table) };
}

/** The same, and their index rows elsewhere, of e-mails in a table of its own. */
async function remotePeople(peer: Peer) {
  const made = await remote.remoteWorld(peer);
  const { db, Person: Remote, people: repo, drain } = made;
  for (const each of [remote.ann, remote.ben]) await repo.create(each);
  await drain();
  const [raw, own] = [peer.table(Remote.table), peer.table(made.own)];
  return { ...made, raw, own, exact: made.assertExact, ...auditsOf(db, Remote, Remote.table) };
}

const ANN_EMAIL = 'email!ann@x.0org';
const ANN_NAME = 'name!Jones!person!000001';
const sales = (rowKey: string) => ({ partitionKey: 'Sales', rowKey });
const REMOTE_EMAIL = { partitionKey: 'ann@x.0org', rowKey: 'e!Sales!person!000001' };
const REMOTE_NAME = { partitionKey: 'name!Jones', rowKey: 'n!Sales!person!000001' };

/** Rows as programs may leave them that know no index, and what an audit says of each; what it cannot repair stays. */
interface Drift {
  readonly name: string;
  readonly where?: 'remote';
  plant(raw: TableClient, own: TableClient): Promise<unknown>;
  readonly says: readonly string[];
  readonly stays?: true;
}
const DRIFTS: readonly Drift[] = [
  {
    name: 'an index row is missing',
    plant: raw => raw.deleteEntity('Sales', ANN_EMAIL),
    says: [`missing byEmail ${ANN_EMAIL}`],
  },
  {
    name: 'an index row is stale',
    plant: raw => raw.updateEntity({ ...sales(ANN_NAME), email: 'old@x.org' }, 'Merge'),
    says: [`stale byName ${ANN_NAME}`],
  },
  {
    name: 'the entity was changed by a program without indexes',
    plant: raw => raw.updateEntity({ ...sales('person!000001'), email: 'new@x.org' }, 'Merge'),
    says: ['missing byEmail email!new@x.0org', `stale byName ${ANN_NAME}`, `orphan byEmail ${ANN_EMAIL}`],
  },
  {
    name: 'the entity was deleted alone',
    plant: raw => raw.deleteEntity('Sales', 'person!000001'),
    says: [
      `orphan byEmail ${ANN_EMAIL}`,
      `orphan byName ${ANN_NAME}`,
      'orphan byBadge badge!2147483655!person!000001',
    ],
  },
  {
    name: 'another living row has the key',
    plant: async raw => {
      await raw.updateEntity({ ...sales('person!000001'), email: 'ben@x.org' }, 'Merge');
      await raw.deleteEntity('Sales', ANN_EMAIL);
      await raw.updateEntity({ ...sales(ANN_NAME), email: 'ben@x.org' }, 'Merge');
    },
    says: ['missing byEmail email!ben@x.0org'],
    stays: true,
  },
  {
    name: 'rows stand where they cannot be read',
    plant: async raw => {
      await raw.createEntity({ ...sales('email!strange'), EntityType: 'Stranger.1' });
      await raw.createEntity({ ...sales('person!x'), EntityType: 'Person.1' });
    },
    says: ['unreadable Person person!x', 'unreadable byEmail email!strange'],
    stays: true,
  },
  {
    name: 'remote rows are missing, stale and left over',
    where: 'remote',
    plant: async (raw, own) => {
      await own.deleteEntity(REMOTE_EMAIL.partitionKey, REMOTE_EMAIL.rowKey);
      await raw.updateEntity({ ...REMOTE_NAME, note: 'stale' }, 'Merge');
      await raw.updateEntity({ ...sales('person!000002'), last: 'Smith' }, 'Merge');
    },
    says: [
      'missing byEmail ann@x.0org',
      'stale byName name!Jones',
      'stale byEmail ben@x.0org',
      'missing byName name!Smith',
      'orphan byName name!Jones',
    ],
  },
  {
    name: 'the entity of remote rows was deleted alone',
    where: 'remote',
    plant: raw => raw.deleteEntity('Sales', 'person!000002'),
    says: ['orphan byEmail ben@x.0org', 'orphan byName name!Jones'],
  },
  {
    name: 'strange rows stand in the place of remote ones',
    where: 'remote',
    plant: async (_, own) => {
      await own.createEntity({
        partitionKey: 'x',
        rowKey: 'e!Sales!person!000009',
        EntityType: 'Other.1',
      });
      await own.updateEntity({ ...REMOTE_EMAIL, EntityType: 'Other.1' }, 'Merge');
    },
    says: ['missing byEmail ann@x.0org', 'unreadable byEmail ann@x.0org', 'unreadable byEmail x'],
    stays: true,
  },
];

describePeers('audits', peer => {
  for (const { name, where, plant, says, stays } of DRIFTS)
    test(`${name}: it is found, and set right where that can be`, async () => {
      const { raw, own, audited, pages, exact } = await (where ? remotePeople : people)(peer);
      assert.deepEqual(await audited(), []);
      await plant(raw, own);
      const found = await pageByPage(resume => pages({ size: 1, resume }));
      assert.deepEqual(said(found.flatMap(({ findings }) => findings)), says);
      const repaired = says.map(each => (stays ? each : `${each} repaired`));
      assert.deepEqual(await audited({ repair: true }), repaired);
      assert.deepEqual(await audited(), stays ? says : []);
      if (!stays) await exact();
    });

  test('a finding has the address of the row and the key of its entity', async () => {
    const { table, raw, pages } = await people(peer);
    await raw.deleteEntity('Sales', ANN_EMAIL);
    assert.deepEqual(await findingsOf(pages()), [
      {
        table,
        ...sales(ANN_EMAIL),
        fault: 'missing',
        of: 'byEmail',
        key: ann,
        isRepaired: false,
        reason: undefined,
      },
    ]);
    await raw.createEntity({ ...sales(ANN_EMAIL), EntityType: 'Stranger.1' });
    const [found] = await findingsOf(pages());
    assert.equal(found?.reason?.code, 'WrongEntity');
    const far = await remotePeople(peer);
    await far.own.deleteEntity(REMOTE_EMAIL.partitionKey, REMOTE_EMAIL.rowKey);
    const [missing] = await findingsOf(far.pages());
    assert.deepEqual([missing?.table, missing?.key], [far.own.tableName, remote.ann]);
  });

  test('of one partition it reads no other, and looks for no remote orphans', async () => {
    const { repo, raw, audited, pages } = await people(peer);
    const { value: page } = await pages({ size: 1 }).next();
    const elsewhere = pages({ partition: { department: 'Sales' }, resume: page?.next });
    await rejects(elsewhere.next(), 'TokenMismatch');
    await repo.create({ ...ann, department: 'Other' });
    await raw.deleteEntity('Other', ANN_EMAIL);
    assert.deepEqual(await audited({ partition: { department: 'Sales' } }), []);
    assert.equal((await audited({ partition: { department: 'Other' } })).length, 1);
    const far = await remotePeople(peer);
    await far.raw.deleteEntity('Sales', 'person!000002');
    assert.deepEqual(await far.audited({ partition: { department: 'Sales' } }), []);
  });

  test('a repair never wins against a writer', async () => {
    const { table, raw, repo, exact } = await people(peer);
    await raw.deleteEntity('Sales', ANN_EMAIL);
    const racing = before('POST', () => repo.merge({ key: ann, etag: '*' }, { email: 'w' }));
    const db = peer.open({ httpClient: new FaultyClient(racing), sleep: nextTurn });
    // Audits the entity's rows only: the later index phase would remove what a wrong repair leaves.
    const { value } = await audit(db, Person, { table, repair: true }).next();
    assert.equal(value?.phase, 'Person');
    assert.equal((await repo.get(ann))?.value.email, 'w');
    await exact();
  });

  test('an orphan that a row takes over meanwhile stays', async () => {
    const { table, raw, repo, row, exact } = await people(peer);
    await raw.deleteEntity('Sales', 'person!000002');
    const racing = before('DELETE', () => repo.merge(row, { email: ben.email }));
    const db = peer.open({ httpClient: new FaultyClient(racing) });
    await findingsOf(audit(db, Person, { table, repair: true }));
    assert.equal((await repo.get(ann))?.value.email, ben.email);
    await exact();
  });

  test('a row that comes back while its index row is looked at leaves no orphan', async () => {
    const { table, raw, exact } = await people(peer);
    const { etag: _, timestamp: __, ...gone } = await raw.getEntity('Sales', 'person!000002');
    await raw.deleteEntity('Sales', 'person!000002');
    let isBack = false;
    const httpClient = new FaultyClient(async (_index, { url }) => {
      if (isBack || !decodeURIComponent(url).includes("RowKey='email!ben")) return;
      isBack = true;
      await raw.createEntity(gone as TableEntity);
    });
    assert.deepEqual(await findingsOf(audit(peer.open({ httpClient }), Person, { table })), []);
    assert(isBack);
    await exact();
  });

  test('no finding is told of rows that others write meanwhile', async () => {
    const { repo, audited, exact } = await people(peer);
    let isOver = false;
    const writing = (async () => {
      for (let n = 0; !isOver; n++) {
        await repo.upsert({ ...ann, email: `a${n}`, last: `l${n % 3}` });
        if (n % 3 === 0) await repo.delete({ key: ben, etag: '*' }).catch(() => undefined);
        else await repo.upsert({ ...ben, email: `b${n}` });
      }
    })();
    try {
      for (let n = 0; n < 8; n++) assert.deepEqual(await audited(), []);
    } finally {
      isOver = true;
      await writing;
    }
    await exact();
  });
});

type People = Awaited<ReturnType<typeof people>>;

/** Near index rows that are not as they should be, and a write that meets them: it is done, and leaves all as it should be. */
const MET: Readonly<Record<string, (world: People) => Promise<unknown>>> = {
  'one that is missing does not block a change of its key, nor a delete': async world => {
    for (const rowKey of [ANN_EMAIL, 'email!ben@x.0org']) await world.raw.deleteEntity('Sales', rowKey);
    await world.repo.merge(world.row, { email: 'new@x.org' });
    await world.repo.delete(world.other);
  },
  'one that is missing is created by a change of what it copies, by one more request': async world => {
    await world.raw.deleteEntity('Sales', ANN_EMAIL);
    assert.equal(await world.httpClient.counted(() => world.repo.merge(world.row, { last: 'Low' })), 2);
  },
  'a left-over row of a unique key is taken over': async ({ raw, repo, row }) => {
    await raw.deleteEntity('Sales', 'person!000002');
    await repo.merge(row, { email: ben.email });
    const hit = await repo.index('byEmail').get({ department: 'Sales', email: ben.email });
    assert.equal(hit?.value.id, 1);
    await repo.create({ ...ben, email: ann.email });
  },
  'so is one of a row that has another key now': async ({ raw, repo, other }) => {
    await raw.updateEntity({ ...sales('person!000001'), email: 'moved@x.org' }, 'Merge');
    await repo.merge(other, { email: ann.email });
    await repo.mutate(ann, row => row && { ...row, email: 'again@x.org' });
  },
  'and one of the row itself': async ({ raw, repo, row }) => {
    const leftOver = { EntityType: 'Person.byEmail.1', id: 1, email: 'next@x.org', last: 'x' };
    await raw.createEntity({ ...sales('email!next@x.0org'), ...leftOver });
    await repo.merge(row, { email: 'next@x.org' });
  },
  'a delete whose answer was lost is done, though another row took its unique key since': async world => {
    const { repo, row, other, table } = world;
    let left = 1;
    const httpClient = new FaultyClient(faultAt('reset after', 0), async () => {
      if (left-- > 0) await repo.merge(other, { email: ann.email });
    });
    await world.peer.open({ httpClient }).repo(Person, { table }).delete(row);
    assert.equal(await repo.get(ann), undefined);
  },
  'of two writers that take over one left-over row, one wins': async ({ raw, repo, row }) => {
    await raw.deleteEntity('Sales', 'person!000002');
    await raw.deleteEntity('Sales', 'name!Jones!person!000002');
    const eve = { ...ann, id: 3, email: ben.email };
    const outcomes = await Promise.allSettled([repo.merge(row, { email: ben.email }), repo.create(eve)]);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
  },
};

describePeers('index rows that are not as they should be', peer => {
  for (const [name, act] of Object.entries(MET))
    test(name, async () => {
      const world = await people(peer);
      await act(world);
      await world.exact();
    });

  test('a row that cannot be read keeps its key', async () => {
    const { repo, row, raw } = await people(peer);
    await raw.createEntity({ ...sales('email!strange'), EntityType: 'Stranger.1' });
    await rejects(repo.merge(row, { email: 'strange' }), 'UniqueViolation', { index: 'byEmail' });
    assert((await raw.getEntity('Sales', 'email!strange')).etag);
  });
});
