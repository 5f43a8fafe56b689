// Targets of the Blob service: container and blob of a path, in path style and host style, and names that are odd but legal.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#account';
import { codesOf } from '#account/testing';
import { parseTarget } from '../shared/target.js';
import { BLOB_GRAMMAR, blobAddressOf, signedNameOf } from './blob-route.js';

const ACCOUNTS = new Set(['acc']);

const routeOf = (target: string, host = '127.0.0.1:10000') =>
  parseTarget({ target, headers: { host }, secure: false }, ACCOUNTS, BLOB_GRAMMAR);

const blobOf = (path: string): string => blobAddressOf(routeOf(`/acc/c/${path}`)).blob;

const codeOf = codesOf(ServiceError);
const refusal = (target: string): string => codeOf(() => routeOf(target));

test('one segment is a container, or a blob of the root container', () => {
  const address = (target: string) => blobAddressOf(routeOf(target));
  assert.deepEqual(address('/acc/c?restype=container'), { container: 'c', blob: '' });
  assert.deepEqual(address('/acc/c/?RESTYPE=Container'), { container: 'c', blob: '' });
  assert.deepEqual(address('/acc/c'), { container: '$root', blob: 'c' });
  assert.deepEqual(address('/acc/$root/c'), { container: '$root', blob: 'c' });
  assert.deepEqual(address('/acc/%24root/c'), { container: '$root', blob: 'c' });
  assert.deepEqual(address('/acc/c/b?restype=container'), { container: 'c', blob: 'b' });
  assert.deepEqual(address('/acc/'), { container: '', blob: '' });
  assert.equal(signedNameOf(address('/acc/c')), '$root/c');
  assert.equal(signedNameOf(address('/acc/c?restype=container')), 'c');
});

test('an escaped slash is a slash of the name, and ends no container', () => {
  assert.equal(blobOf('a%2Fb'), 'a/b');
  assert.equal(blobOf('a%2fb/d'), 'a/b/d');
  assert.deepEqual(routeOf('/acc/c%2Fb?restype=container').resource, {
    kind: 'container',
    container: 'c/b',
  });
});

test('a backslash of a name is a slash', () => {
  assert.equal(blobOf('a%5Cb'), 'a/b');
  assert.equal(blobOf('a\\b%5c%5C'), 'a/b//');
});

test('names are decoded once and otherwise kept', () => {
  const kept: readonly (readonly [path: string, name: string])[] = [
    ['..', '..'],
    ['a/../b', 'a/../b'],
    ['.', '.'],
    ['a.', 'a.'],
    ['a//b', 'a//b'],
    ['/', '/'],
    ['a/', 'a/'],
    ['%20a%20', ' a '],
    ['a+b', 'a+b'],
    ['a%2Bb', 'a+b'],
    ['a%2520', 'a%20'],
    ['A', 'A'],
    ['%00%0D%0A', '\0\r\n'],
    ['%F0%9F%98%80', '😀'],
    ['e%CC%81', 'e\u0301'],
    ['%C3%A9', 'é'],
    ['a'.repeat(1025), 'a'.repeat(1025)],
    ['/'.repeat(300), '/'.repeat(300)],
  ];
  for (const [path, name] of kept) assert.equal(blobOf(path), name, path.slice(0, 20));
});

test('escapes that are malformed, and no UTF-8, are refused', () => {
  for (const path of ['%', '%2', '%zz', '%80', '%C3', '%ED%A0%80', '%F8%88%80%80%80', '%C0%AF'])
    for (const target of [`/acc/c/${path}`, `/acc/${path}/b`, `/acc/c/b?x=${path}`, `/${path}/c/b`])
      assert.equal(refusal(target), 'InvalidUri', target);
  for (const target of ['', '/', '//c/b', '?comp=list']) assert.equal(refusal(target), 'InvalidUri', target);
});

test('a container without a name is refused after authentication', () => {
  for (const target of ['/acc//b', '/acc//', '/acc//b?restype=container'])
    assert.deepEqual(routeOf(target).resource, { kind: 'invalid' });
});
