// Audits of indexes in other partitions and tables: missing, stale and orphaned rows there are found and repaired, and foreign rows are reported by their address.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnyEntity, Db } from '#patterns';
import { audit, backfill, type Finding } from '#patterns/audit';
import { describePeers } from '../../support/peers.js';
import { ann, ben, type Person, remoteWorld } from './remote-world.js';

type AuditOptions<E extends AnyEntity> = NonNullable<Parameters<typeof audit<E>>[2]>;

async function audited(db: Db, entity: Person, options: AuditOptions<Person> = {}) {
  const findings: Finding<Person>[] = [];
  for await (const progress of audit(db, entity, options)) findings.push(...progress.findings);
  return findings;
}

const said = (findings: readonly Finding<Person>[]): readonly string[] =>
  findings.map(({ fault, of, partitionKey, isRepaired }) =>
    [fault, of, partitionKey, ...(isRepaired ? ['repaired'] : [])].join(' '),
  );

const EMAIL = { partitionKey: 'ann@x.0org', rowKey: 'e!Sales!person!000001' };
const NAME = { partitionKey: 'name!Jones', rowKey: 'n!Sales!person!000001' };

describePeers('audits of remote indexes', peer => {
  const world = async () => {
    const made = await remoteWorld(peer);
    await made.people.create(ann);
    await made.people.create(ben);
    await made.drain();
    const [rows, own] = [peer.table(made.Person.table), peer.table(made.own)];
    return { ...made, rows, emails: own };
  };

  test('find and mend what programs left that know no index', async () => {
    const { db, Person, rows, emails, assertExact } = await world();
    assert.deepEqual(await audited(db, Person), []);
    await emails.deleteEntity(EMAIL.partitionKey, EMAIL.rowKey);
    await rows.updateEntity({ ...NAME, note: 'stale' }, 'Merge');
    await rows.updateEntity({ partitionKey: 'Sales', rowKey: 'person!000002', last: 'Smith' }, 'Merge');
    const expected = [
      'missing byEmail ann@x.0org',
      'stale byName name!Jones',
      'stale byEmail ben@x.0org',
      'missing byName name!Smith',
      'orphan byName name!Jones',
    ];
    const found = await audited(db, Person);
    assert.deepEqual(said(found), expected);
    assert.equal(found[0]?.table, emails.tableName);
    assert.deepEqual(found[0]?.key, { ...ann });
    assert.deepEqual(
      said(await audited(db, Person, { repair: true })),
      expected.map(each => `${each} repaired`),
    );
    assert.deepEqual(await audited(db, Person), []);
    await assertExact();
  });

  test('go on by tokens, and tell of strange rows', async () => {
    const { db, Person, emails } = await world();
    await emails.createEntity({ partitionKey: 'x', rowKey: 'e!Sales!person!000009', EntityType: 'Other.1' });
    await emails.deleteEntity(EMAIL.partitionKey, EMAIL.rowKey);
    await emails.createEntity({ ...EMAIL, EntityType: 'Other.1' });
    const texts: string[] = [];
    let resume: string | undefined;
    do {
      const { value } = await audit(db, Person, { size: 1, resume, repair: true }).next();
      assert(value);
      texts.push(...said(value.findings));
      resume = value.next;
    } while (resume !== undefined);
    assert.deepEqual(texts, [
      'missing byEmail ann@x.0org',
      'unreadable byEmail ann@x.0org',
      'unreadable byEmail x',
    ]);
  });

  test('of one partition look for no orphans', async () => {
    const { db, Person, rows } = await world();
    await rows.deleteEntity('Sales', 'person!000002');
    assert.deepEqual(await audited(db, Person, { partition: { department: 'Sales' } }), []);
    assert.deepEqual(said(await audited(db, Person)), [
      'orphan byEmail ben@x.0org',
      'orphan byName name!Jones',
    ]);
  });

  test('a backfill makes the rows of one index', async () => {
    const { db, Person, rows, emails } = await world();
    await emails.deleteEntity(EMAIL.partitionKey, EMAIL.rowKey);
    await rows.deleteEntity(NAME.partitionKey, NAME.rowKey);
    for await (const { findings } of backfill(db, Person, 'byEmail'))
      assert.deepEqual(said(findings), ['missing byEmail ann@x.0org repaired']);
    assert.deepEqual(said(await audited(db, Person)), ['missing byName name!Jones']);
  });
});
