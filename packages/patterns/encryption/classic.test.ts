// Rows that classic SDKs encrypted: what is in them, and what is refused. The vectors are those of the SDKs themselves.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClassicRow, readClassic } from './classic.js';
import { CLASSIC_VECTORS, type ClassicVector } from './classic-vectors.test.fixture.js';
import { localKey } from './key-ring.js';

const KEY = localKey(Uint8Array.from({ length: 32 }, (_, at) => at));

const bytes = (base64: string): Uint8Array => Uint8Array.from(Buffer.from(base64, 'base64'));

function rowOf({ partitionKey, rowKey, sealed, metadata, names }: ClassicVector): ClassicRow {
  const properties = {
    ...Object.fromEntries(
      Object.entries(sealed).map(([name, text]) => [name, { type: 'Binary', value: bytes(text) } as const]),
    ),
    plain: { type: 'Int32', value: 7 } as const,
    _ClientEncryptionMetadata1: { type: 'String', value: metadata } as const,
    _ClientEncryptionMetadata2: { type: 'Binary', value: bytes(names) } as const,
  };
  return { table: 'Staff', partitionKey, rowKey, properties: new Map(Object.entries(properties)) };
}

const unwrap = async (keyId: string, algorithm: string, wrapped: Uint8Array) => {
  assert.equal(algorithm, 'A256KW');
  return keyId === 'local:key1' ? KEY.unwrap(wrapped) : undefined;
};

test('every row of another library opens, and keeps what was not encrypted', async () => {
  for (const vector of CLASSIC_VECTORS) {
    const read = await readClassic(rowOf(vector), unwrap);
    const texts = Object.entries(vector.clear).map(([name, value]) => [name, { type: 'String', value }]);
    assert.deepEqual(read, {
      isEncrypted: true,
      properties: new Map(
        Object.entries({ ...Object.fromEntries(texts), plain: { type: 'Int32', value: 7 } }),
      ),
      encrypted: Object.keys(vector.clear),
    });
  }
});

test('a library whose name is no text is not Java', async () => {
  const [python] = CLASSIC_VECTORS;
  assert(python);
  for (const name of ['{"toString":1,"valueOf":1}', '["Java"]', 'null']) {
    const metadata = python.metadata.replace('"Python 1.4.2"', name);
    assert.notEqual(metadata, python.metadata);
    const { encrypted } = await readClassic(rowOf({ ...python, metadata }), unwrap);
    assert.deepEqual(encrypted, Object.keys(python.clear), name);
  }
});

test('a row that was not encrypted is given as it is', async () => {
  const properties = new Map([['name', { type: 'String', value: 'Ann' } as const]]);
  const read = await readClassic({ table: 'Staff', partitionKey: 'a', rowKey: 'b', properties }, unwrap);
  assert.deepEqual(read, { isEncrypted: false, properties, encrypted: [] });
});

test('other keys, rows and metadata are refused', async () => {
  const [vector] = CLASSIC_VECTORS;
  assert(vector);
  const row = rowOf(vector);
  await assert.rejects(
    readClassic(row, async () => undefined),
    { code: 'KeyUnavailable' },
  );
  await assert.rejects(
    readClassic(row, async () => {
      throw new Error('offline');
    }),
    { code: 'KeyUnavailable' },
  );
  for (const length of [0, 31, 33])
    await assert.rejects(
      readClassic(row, async () => new Uint8Array(length)),
      { code: 'KeyUnavailable' },
    );
  // In another row the list of names has another vector, and no list comes of it.
  await assert.rejects(readClassic({ ...row, rowKey: '0009' }, unwrap), { code: 'CiphertextRefused' });
  for (const metadata of [
    '{',
    '{}',
    vector.metadata.replace('AES_CBC_256', 'AES_GCM_256'),
    vector.metadata.replace('1.0', '2.0'),
  ]) {
    const properties = new Map(row.properties).set('_ClientEncryptionMetadata1', {
      type: 'String',
      value: metadata,
    });
    await assert.rejects(readClassic({ ...row, properties }, unwrap), { code: 'CiphertextRefused' });
  }
  const properties = new Map(row.properties);
  properties.delete('name');
  await assert.rejects(readClassic({ ...row, properties }, unwrap), { code: 'CiphertextRefused' });
});
