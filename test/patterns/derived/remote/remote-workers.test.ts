// Workers of remote indexes that others come before, between two of their requests: an index row never goes back, and what a slow worker has written late it finds itself.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Db, Instant } from '#patterns';
import { indexFlow } from '#patterns/indexes';
import type { ChangedRow } from '#patterns/internals';
import { before, FaultyClient } from '../../support/faulty-client.js';
import { describePeers } from '../../support/peers.js';
import { ann, type Person, remoteWorld } from './remote-world.js';

/** Does what a worker does with a message. */
async function work(
  db: Db,
  Person: Person,
  change: Omit<ChangedRow, 'partitionKey' | 'rowKey'>,
): Promise<unknown> {
  const [step] = indexFlow(Person).definition.steps;
  const input = {
    table: Person.table,
    changes: [{ partitionKey: 'Sales', rowKey: 'person!000001', ...change }],
  };
  const signal = new AbortController().signal;
  const context = { db, id: 'x', attempt: 1, signal, operationId: undefined, deletes: false };
  return step?.run(input, { ...context, note: () => undefined });
}

const emailOf = (address: string) =>
  ['byEmail', address.replace('.', '.0'), 'e!Sales!person!000001'] as const;
const nameOf = (last: string) => ['byName', `name!${last}`, 'n!Sales!person!000001'] as const;
const FIRST = [emailOf('ann@x.org'), nameOf('Jones')];
const SECOND = [...FIRST, emailOf('ann@y.org'), nameOf('Smith')];
const moved = { ...ann, email: 'ann@y.org', last: 'Smith' };

describePeers('workers of remote indexes', peer => {
  test('find what they made of a row that has changed since', async () => {
    const { db, opened, Person, people, assertExact } = await remoteWorld(peer);
    const row = await people.create(ann);
    const slow = before('POST', async () => {
      await people.replace(row, moved);
      await work(db, Person, { rows: SECOND });
      await assertExact();
    });
    await work(opened({ httpClient: new FaultyClient(slow) }), Person, { rows: FIRST });
    await assertExact();
  });

  test('never write an earlier version over a later one', async () => {
    const { db, opened, Person, people, own, assertExact } = await remoteWorld(peer);
    const row = await people.create(ann);
    await work(db, Person, { rows: FIRST });
    const second = await people.merge(row, { last: 'Smith' });
    const emails = peer.table(own);
    const sourceOf = async (): Promise<bigint> => {
      const [, pk, rk] = emailOf('ann@x.org');
      const found = await emails.getEntity<Record<string, unknown>>(pk, rk, { disableTypeConversion: true });
      return Instant.parse(String((found._source as { value: string }).value)).ticks;
    };
    const earlier = await sourceOf();
    let source = 0n;
    const slow = before('PUT', async () => {
      await people.merge(second, { last: 'Brown' });
      await work(db, Person, { rows: [...SECOND, nameOf('Brown')] });
      source = await sourceOf();
    });
    const seen: bigint[] = [];
    const client = new FaultyClient(slow, async () => void seen.push(await sourceOf()));
    await work(opened({ httpClient: client }), Person, { rows: SECOND });
    assert(source > earlier, 'the version of the row goes up');
    assert.deepEqual(new Set(seen), new Set([earlier, source]));
    assert.equal(await sourceOf(), source);
    await assertExact();
  });

  test('repair an index row that names a later version than its row has', async () => {
    const { db, Person, people, own, assertExact } = await remoteWorld(peer);
    await people.create(ann);
    await work(db, Person, { rows: FIRST });
    const [, partitionKey, rowKey] = emailOf('ann@x.org');
    const _source = { type: 'DateTime', value: '2999-01-01T00:00:00Z' } as const;
    await peer.table(own).updateEntity({ partitionKey, rowKey, last: 'Other', _source }, 'Merge');
    await work(db, Person, { rows: FIRST });
    await assertExact();
  });

  test('find that a row was made again whose index row they delete', async () => {
    const { db, opened, Person, people, assertExact } = await remoteWorld(peer);
    const row = await people.create(ann);
    await work(db, Person, { rows: FIRST });
    await people.delete(row);
    const slow = before('DELETE', async () => {
      await people.create(ann);
      await work(db, Person, { rows: FIRST });
    });
    await work(opened({ httpClient: new FaultyClient(slow) }), Person, { rows: FIRST });
    await assertExact();
  });

  test('write nothing for a message that comes twice', async () => {
    const { db, opened, Person, people, assertExact } = await remoteWorld(peer);
    await people.create(ann);
    await work(db, Person, { rows: FIRST });
    let written = 0;
    const again = new FaultyClient(undefined, ({ method }) => {
      written += Number(method !== 'GET');
    });
    await work(opened({ httpClient: again }), Person, { rows: FIRST });
    assert.equal(written, 0);
    await assertExact();
  });

  test('wait for a write as long as it may still come', async () => {
    const { db, Person, people } = await remoteWorld(peer);
    const row = await people.create(ann);
    assert.equal(await work(db, Person, { rows: FIRST, etag: row.etag }), 'pending');
    assert.equal(await work(db, Person, { rows: FIRST, operationId: '00' }), 'pending');
    assert.equal(await work(db, Person, { rows: FIRST }), undefined);
    await people.delete(row);
    assert.equal(await work(db, Person, { rows: FIRST, etag: row.etag }), undefined);
    assert.equal(await work(db, Person, { rows: FIRST, operationId: '00' }), 'pending');
  });
});
