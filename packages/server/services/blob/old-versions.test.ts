// Versions before 2017-11-09, which requests without credentials speak unless the account says another
// (protocol: blob-requests#old-versions).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, codeOf, openContainer, unsigned } from '../../testing/storage-requests.js';

const PROPERTIES = '/?restype=service&comp=properties';

async function openToAll() {
  const { send, ask } = await openContainer();
  const access = { 'x-ms-blob-public-access': 'container' };
  await ask({ method: 'PUT', target: '/abc?restype=container&comp=acl', headers: access });
  const disposition = { 'x-ms-blob-type': 'BlockBlob', 'x-ms-blob-content-disposition': 'inline' };
  await ask({ method: 'PUT', target: '/abc/b', headers: disposition, body: 'hello' });
  /** Without a version where it is undefined. */
  const get = (
    target: string,
    version: string | undefined,
    range?: string,
    method = 'GET',
  ): Promise<Answer> => {
    const request = unsigned({ method, target });
    const headers = { ...request.headers, 'x-ms-version': version, ...(range && { range }) };
    return send({ ...request, headers });
  };
  const setDefault = async (version: string) => {
    const element = `<DefaultServiceVersion>${version}</DefaultServiceVersion>`;
    const body = `<StorageServiceProperties>${element}</StorageServiceProperties>`;
    assert.equal((await ask({ method: 'PUT', target: PROPERTIES, body })).status, 202);
  };
  return { get, setDefault };
}

const NAMES = [
  'accept-ranges',
  'x-ms-lease-status',
  'x-ms-lease-state',
  'content-disposition',
  'x-ms-blob-type',
  'x-ms-creation-time',
];
const shown = ({ headers }: Answer): readonly string[] => NAMES.filter(name => headers.has(name));

test('an open range, quotes of ETags and Accept-Ranges have a first version', async () => {
  const { get } = await openToAll();
  for (const version of ['2009-09-19', '2011-08-17']) {
    const whole = await get('/abc/b', version, 'bytes=2-');
    assert.deepEqual([whole.status, whole.text], [200, 'hello']);
    assert.equal(whole.headers.has('content-range'), false);
    assert.match(whole.headers.get('etag') ?? '', /^0x[0-9A-F]+$/);
    const part = await get('/abc/b', version, 'bytes=2-3');
    assert.deepEqual([part.status, part.text], [206, 'll']);
    assert.deepEqual(shown(whole), ['x-ms-lease-status', 'x-ms-blob-type']);
  }
  const rest = await get('/abc/b', '2011-08-18', 'bytes=2-');
  assert.deepEqual([rest.status, rest.text], [206, 'llo']);
  assert.match(rest.headers.get('etag') ?? '', /^"0x[0-9A-F]+"$/);
});

test('each version tells the headers that it has, of a blob and of a container', async () => {
  const { get } = await openToAll();
  const of = async (version: string) => shown(await get('/abc/b', version, undefined, 'HEAD'));
  const [ranges, status, state] = ['accept-ranges', 'x-ms-lease-status', 'x-ms-lease-state'];
  const [disposition, type, creation] = ['content-disposition', 'x-ms-blob-type', 'x-ms-creation-time'];
  assert.deepEqual(await of('2011-08-17'), [status, type]);
  assert.deepEqual(await of('2011-08-18'), [ranges, status, type]);
  assert.deepEqual(await of('2012-02-11'), [ranges, status, type]);
  assert.deepEqual(await of('2012-02-12'), [ranges, status, state, type]);
  assert.deepEqual(await of('2013-08-14'), [ranges, status, state, type]);
  assert.deepEqual(await of('2013-08-15'), [ranges, status, state, disposition, type]);
  assert.deepEqual(await of('2017-11-08'), [ranges, status, state, disposition, type]);
  assert.deepEqual(await of('2017-11-09'), [ranges, status, state, disposition, type, creation]);
  const container = await get('/abc?restype=container', '2009-09-19');
  assert.deepEqual(shown(container), [status]);
  assert.match(container.headers.get('etag') ?? '', /^0x/);
});

test('the default version decides for requests without credentials that name none', async () => {
  const { get, setDefault } = await openToAll();
  const spoken = async (): Promise<readonly unknown[]> => {
    const { status, headers } = await get('/abc/b', undefined, 'bytes=2-');
    return [status, headers.get('x-ms-version')];
  };
  assert.deepEqual(await spoken(), [200, '2009-09-19']);
  await setDefault('2011-08-18');
  assert.deepEqual(await spoken(), [206, '2011-08-18']);
  assert.equal(codeOf(await get('/none/b', undefined)), '404');
  await setDefault('2020-12-06');
  assert.deepEqual(await spoken(), [206, '2020-12-06']);
  assert.equal(codeOf(await get('/none/b', undefined)), '401 NoAuthenticationInformation');
  await setDefault('2009-09-19');
  assert.deepEqual(await spoken(), [200, '2009-09-19']);
  assert.equal((await get('/abc/b', '2015-02-21', 'bytes=2-')).status, 206);
});

test('lists tell the state of a lease from 2012-02-12 on, and Creation-Time from 2017-11-09 on', async () => {
  const { get } = await openToAll();
  const elements = async (version: string | undefined) => {
    const { status, text } = await get('/abc?restype=container&comp=list', version);
    assert.equal(status, 200);
    return ['LeaseStatus', 'LeaseState', 'Creation-Time'].filter(name => text.includes(`<${name}>`));
  };
  assert.deepEqual(await elements(undefined), ['LeaseStatus']);
  assert.deepEqual(await elements('2012-02-11'), ['LeaseStatus']);
  assert.deepEqual(await elements('2012-02-12'), ['LeaseStatus', 'LeaseState']);
  assert.deepEqual(await elements('2017-11-08'), ['LeaseStatus', 'LeaseState']);
  assert.deepEqual(await elements('2017-11-09'), ['LeaseStatus', 'LeaseState', 'Creation-Time']);
});
