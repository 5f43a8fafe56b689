// The limits of metadata at one below, themselves, and one above.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metadataFault } from './metadata.js';

test('8 KiB of metadata, names and values together', () => {
  for (const length of [8189, 8190])
    assert.equal(metadataFault([{ name: 'ab', value: 'v'.repeat(length) }]), undefined);
  assert.equal(metadataFault([{ name: 'ab', value: 'v'.repeat(8191) }]), 'MetadataTooLarge');
  const half = 'v'.repeat(4095);
  const pair = (name: string) => ({ name, value: half });
  assert.equal(metadataFault([pair('a'), pair('b')]), undefined);
  assert.equal(metadataFault([pair('a'), pair('bc')]), 'MetadataTooLarge');
});

test('names of metadata are identifiers', () => {
  assert.equal(metadataFault(['a', '_', 'A1_'].map(name => ({ name, value: '' }))), undefined);
  assert.equal(metadataFault([{ name: '', value: '' }]), 'EmptyMetadataKey');
  for (const name of ['1', 'a-b', 'a b', 'a.b', 'é'])
    assert.equal(metadataFault([{ name, value: '' }]), 'InvalidMetadata');
});
