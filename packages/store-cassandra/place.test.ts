// Addresses of clusters, and texts that are none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePlace } from './place.js';

test('place: hosts, port and keyspace, and what is so unless said', () => {
  assert.deepEqual(parsePlace('//a.example,10.0.0.2/shelf'), {
    hosts: ['a.example', '10.0.0.2'],
    port: 9042,
    keyspace: 'shelf',
    create: false,
    replicas: 3,
    unsafe: false,
  });
  const { hosts, port } = parsePlace('//[::1]:9043,b:9043/k');
  assert.deepEqual([hosts, port], [['::1', 'b'], 9043]);
});

test('place: options', () => {
  const { create, replicas, unsafe } = parsePlace('//a/k?create&replicas=1&unsafe');
  assert.deepEqual([create, replicas, unsafe], [true, 1, true]);
});

test('place: what is none is refused with the form of one', () => {
  const faulty: readonly (readonly [string, RegExp])[] = [
    ['', /keyspace are missing/],
    ['//a', /keyspace are missing/],
    ['//a/', /keyspace are missing/],
    ['//a/k/l', /keyspace are missing/],
    [`//a/${'k'.repeat(49)}`, /keyspace are missing/],
    ['//a,/k', /A host is none/],
    ['//a:x/k', /A host is none/],
    ['//a:1,b:2/k', /one port/],
    ['//a,b:2/k', /one port/],
    ['//a/k?replicas=0', /from 1 on/],
    ['//a/k?replicas=x', /from 1 on/],
    ['//a/k?copies=3', /no option 'copies'/],
  ];
  for (const [text, message] of faulty)
    assert.throws(() => parsePlace(text), { name: 'StoreError', code: 'unsupported', message }, text);
  assert.equal(parsePlace(`//a/${'k'.repeat(48)}`).keyspace.length, 48);
});
