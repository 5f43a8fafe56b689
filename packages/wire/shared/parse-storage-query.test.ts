// Queries of the Blob and Queue services: decoding, and names that occur twice.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#account';
import { parseStorageQuery } from './parse-storage-query.js';

const parse = (text: string) => Object.fromEntries(parseStorageQuery(text));

test('names are in lower case, values decoded once', () => {
  assert.deepEqual(parse('Comp=List&popreceipt=AgA%2B%2F%3D&marker=ab%2525'), {
    comp: 'List',
    popreceipt: 'AgA+/=',
    marker: 'ab%25',
  });
});

test('a plus sign is a space, and stays in base64', () => {
  assert.deepEqual(parse('prefix=sub+1/a%2Bb&sig=a+b=&Sig2=&PopReceipt=A+B&blockid=+/+%20'), {
    prefix: 'sub 1/a+b',
    sig: 'a+b=',
    sig2: '',
    popreceipt: 'A+B',
    blockid: '+/+ ',
  });
});

test('a name without a value has an empty one, and empty pairs are ignored', () => {
  assert.deepEqual(parse('&comp&&prefix=&'), { comp: '', prefix: '' });
  assert.deepEqual(parse(''), {});
});

test('values of one name are sorted and joined', () => {
  assert.deepEqual(parse('include=metadata&INCLUDE=a&x=1'), { include: 'a,metadata', x: '1' });
});

test('broken escapes are refused', () => {
  for (const text of ['a=%', 'a=%zz', '%ff=1'])
    assert.throws(
      () => parseStorageQuery(text),
      error => error instanceof ServiceError && error.code === 'InvalidUri',
    );
});
