// Addresses of clusters, and invalid ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePlace } from './place.js';

test('place: hosts, port and keyspace, and the defaults', () => {
  assert.deepEqual(parsePlace('//a.example,10.0.0.2/shelf'), {
    hosts: ['a.example', '10.0.0.2'],
    port: 9042,
    keyspace: 'shelf',
    create: false,
    replicas: 3,
    dataCenter: undefined,
    tls: undefined,
    unsafe: false,
    wait: 60,
  });
  const { hosts, port } = parsePlace('//[::1]:9043,b:9043/k');
  assert.deepEqual([hosts, port], [['::1', 'b'], 9043]);
});

test('place: options', () => {
  const { create, replicas, unsafe, wait } = parsePlace('//a/k?create&replicas=1&unsafe&wait=0');
  assert.deepEqual([create, replicas, unsafe, wait], [true, 1, true, 0]);
});

test('place: TLS and its files', () => {
  assert.deepEqual(parsePlace('//a/k?tls').tls, { ca: undefined, cert: undefined, key: undefined });
  const { tls, dataCenter } = parsePlace('//a/k?dataCenter=west%201&tls&ca=/a@b/ca.pem&cert=c&key=k');
  assert.deepEqual([tls, dataCenter], [{ ca: '/a@b/ca.pem', cert: 'c', key: 'k' }, 'west 1']);
});

test('place: a password is refused, and is not repeated', () => {
  for (const text of ['//user:secret@a/k', '//user@a/k', '//user:sec/ret@a/k', '//u:s@a,b/k?tls'])
    assert.throws(
      () => parsePlace(text),
      (error: Error) => {
        assert.match(error.message, /^Give the user and password in SHELFMARK_CASSANDRA_USER/);
        assert.doesNotMatch(error.message, /sec|ret/);
        return true;
      },
    );
});

test('place: an invalid address is refused with the form of a valid one', () => {
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
    ['//a/k?wait', /number of seconds/],
    ['//a/k?wait=1.5', /number of seconds/],
    ['//a/k?dataCenter', /dataCenter is a name/],
    ['//a/k?tls&ca', /ca names no file/],
    ['//a/k?tls&cert=c', /go together/],
    ['//a/k?tls&key=c', /go together/],
    ['//a/k?ca=c', /need tls/],
    ['//a/k?cert=c&key=k', /need tls/],
  ];
  for (const [text, message] of faulty)
    assert.throws(() => parsePlace(text), { name: 'StoreError', code: 'unsupported', message }, text);
  assert.equal(parsePlace(`//a/${'k'.repeat(48)}`).keyspace.length, 48);
});
