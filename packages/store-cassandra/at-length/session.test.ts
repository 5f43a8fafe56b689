// What a session says to what is wrong in itself: on a cluster, since that is what refuses it.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '#base';
import { StoreError } from '#store';
import { cassandraTools } from '../cassandra-engine.js';
import { openCassandraStore } from '../open.js';
import { parsePlace } from '../place.js';
import { onCluster, Session, type Statement } from '../session/session.js';
import { dropKeyspace } from '../testing/drop-keyspace.js';

const host = process.env.SHELFMARK_CASSANDRA;

const isFault = (error: unknown): boolean => !(error instanceof StoreError);

describe('session', { skip: host === undefined && 'SHELFMARK_CASSANDRA names no host' }, () => {
  const text = `//${host}/test_${randomBytes(6).toString('hex')}?create&replicas=1`;
  const place = parsePlace(text);
  let session: Session;
  before(async () => {
    await (await openCassandraStore(place, { clock: systemClock }, cassandraTools(text))).close();
    const [local] = await onCluster(place, ({ run }) => run('SELECT data_center FROM system.local'));
    session = await Session.open(place, local?.data_center);
  });
  after(async () => {
    await session.close();
    await dropKeyspace(text);
  });

  const everyWay = (statement: Statement): readonly (() => Promise<unknown>)[] => [
    () => session.read(statement),
    () => session.readSerial(statement),
    () => session.write(statement),
    () => session.writeIf([statement]),
  ];

  test('session: a statement that the cluster refuses is no busy cluster', async () => {
    for (const query of ['SELECT nothing FROM nowhere', 'SELEC'])
      for (const send of everyWay({ query, params: [] })) await assert.rejects(send, isFault);
  });

  test('session: neither is a value that the driver cannot write', async () => {
    const query = 'UPDATE member SET beat = ? WHERE part = 0 AND id = ?';
    for (const send of everyWay({ query, params: ['one', 'me'] })) await assert.rejects(send, isFault);
  });

  test('session: a refused statement while a store is opened is told in a sentence', async () => {
    const refused = onCluster(place, ({ run }) => run('SELEC'));
    await assert.rejects(refused, { code: 'unsupported', message: /^Cassandra refuses it: / });
  });
});
