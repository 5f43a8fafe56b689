// How a session reports requests that are wrong in themselves: on a cluster, since the cluster refuses them.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { StoreError } from '#store';
import { MOVE_FENCE, PUT_ROW } from '../layout/schema.js';
import { parsePlace } from '../place.js';
import { COMMIT_BYTES_MAX, frameBytes } from '../session/frame.js';
import { onCluster, type Session, type Statement } from '../session/session.js';
import { dropKeyspace, newPlace, openSession, skip } from '../testing/cluster.js';

const isFault = (error: unknown): boolean => !(error instanceof StoreError);

describe('session', { skip }, () => {
  const text = newPlace();
  let session: Session;
  before(async () => {
    session = await openSession(text);
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

  test('session: a commit of the maximal size is accepted, a larger one is refused before it is sent', async () => {
    const ofBytes = (bytes: number, name: string): readonly Statement[] => {
      const pk = Buffer.from(name);
      const commit = (length: number): readonly Statement[] => [
        { query: MOVE_FENCE, params: [1n, 99n, pk, null] },
        { query: PUT_ROW, params: [99n, pk, pk, 1n, Buffer.alloc(length, name)] },
      ];
      return commit(bytes - frameBytes(commit(0)));
    };
    assert.deepEqual(await session.writeIf(ofBytes(COMMIT_BYTES_MAX - 1, 'a')), { kind: 'applied' });
    assert.deepEqual(await session.writeIf(ofBytes(COMMIT_BYTES_MAX, 'b')), { kind: 'applied' });
    const larger = session.writeIf(ofBytes(COMMIT_BYTES_MAX + 1, 'c'));
    await assert.rejects(larger, { code: 'tooLarge', message: /15728641 bytes.*takes 15728640/ });
  });

  test('session: a refused statement while a store is opened is reported in a sentence', async () => {
    const refused = onCluster(parsePlace(text), ({ run }) => run('SELEC'));
    await assert.rejects(refused, { code: 'unsupported', message: /^Cassandra refuses it: / });
  });
});
