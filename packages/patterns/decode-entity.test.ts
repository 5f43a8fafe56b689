// Rows as entities: what the definition says a property is, and what happens where the row says otherwise.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  codec,
  decodeEntity,
  encodeEntity,
  entity,
  Instant,
  key,
  part,
  readRow,
  t,
  wireText,
} from './index.js';

const Review = entity('Review', {
  version: 1,
  table: 'Staff',
  props: {
    department: t.string(),
    id: t.int32(),
    score: t.double(),
    views: t.int64().stored('Views'),
    at: t.instant(),
    photo: t.bytes().optional(),
    isOpen: t.bool(),
    author: t.guid(),
  },
  partition: key(part('department')),
  row: key('rev', part('id', codec.int(6))),
});

describe('an entity', () => {
  test('comes back as it was sent', () => {
    const encoded = encodeEntity(Review, {
      department: 'Sales / North',
      id: 7,
      score: 3,
      views: 9_007_199_254_740_993n,
      at: Instant.parse('2017-11-10T02:44:47.6221962Z'),
      photo: new Uint8Array([0, 1, 2, 3, 4]).subarray(1, 3),
      isOpen: true,
      author: 'C9DA6455-213D-42C9-9A79-3E9149A57833',
    });
    const text = wireText(encoded);
    assert.equal(
      text,
      '{"PartitionKey":"Sales\\"1.1\\"1North","RowKey":"rev!000007","EntityType":"Review.1",' +
        '"score@odata.type":"Edm.Double","score":3.0,"Views@odata.type":"Edm.Int64","Views":"9007199254740993",' +
        '"at@odata.type":"Edm.DateTime","at":"2017-11-10T02:44:47.6221962Z","photo@odata.type":"Edm.Binary","photo":"AQI=",' +
        '"isOpen":true,"author@odata.type":"Edm.Guid","author":"c9da6455-213d-42c9-9a79-3e9149a57833"}',
    );
    const stored = decodeEntity(Review, readRow(text));
    assert.deepEqual(stored.value, encoded.value);
    assert.deepEqual(stored.unknown, []);
  });
});
