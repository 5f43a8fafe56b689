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

test('values of metadata are the text of headers', () => {
  const fault = (value: string) => metadataFault([{ name: 'a', value }]);
  for (const value of ['', '\t', ' ~', 'a\tb', '%C4%8D', '=?utf-8?B?xI0=?='])
    assert.equal(fault(value), undefined, value);
  for (const value of [
    '\0',
    '\b',
    '\n',
    '\x1f',
    '\x7f',
    '\x80',
    '\xe9',
    '\xff',
    '\xc4\x8d',
    'č',
    '😀',
    'ok č',
  ])
    assert.equal(fault(value), 'InvalidMetadata', value);
  const long = { name: 'ab', value: 'v'.repeat(8191) };
  assert.equal(metadataFault([{ name: 'a', value: 'č' }, long]), 'InvalidMetadata');
});
