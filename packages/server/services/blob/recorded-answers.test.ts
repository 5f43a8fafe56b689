// Rare answers, recorded from the official clients' own tests: each request is sent as it was recorded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCOUNT, DATE, HOST } from '../../testing/service.js';
import { codeOf, type Headers, openAbc } from '../../testing/storage-requests.js';

const EARLIER = 'Wed, 01 Jan 2020 01:01:00 GMT';
const LATER = 'Wed, 01 Jan 2020 01:03:00 GMT';

test('a range that cannot be read is ignored where content or pages are read', async () => {
  const { send, code } = await openAbc();
  const whole = await send('GET', '/b', { 'x-ms-range': 'bytes=-1-' });
  assert.deepEqual([codeOf(whole), whole.text], ['200', 'hello']);
  const pages = { 'x-ms-blob-type': 'PageBlob', 'x-ms-blob-content-length': '1024' };
  assert.equal(await code('PUT', '/p', pages), '201');
  const write = { 'x-ms-page-write': 'update', 'x-ms-range': 'bytes=0-511' };
  assert.equal(await code('PUT', '/p?comp=page', write, 'x'.repeat(512)), '201');
  const list = await send('GET', '/p?comp=pagelist', { 'x-ms-range': 'bytes=-2-497' });
  assert.match(list.text, /<PageRange><Start>0<\/Start><End>511<\/End><\/PageRange>/);
  for (const [name, value, refusal] of [
    ['x-ms-if-sequence-number-eq', '-1', '400 InvalidInput'],
    ['x-ms-if-sequence-number-le', '-1', '400 InvalidInput'],
    ['x-ms-if-sequence-number-lt', '-1', '400 InvalidInput'],
    ['x-ms-if-sequence-number-lt', 'x', '400 InvalidHeaderValue'],
    ['x-ms-range', 'bytes=-2-497', '400 InvalidHeaderValue'],
  ] as const)
    assert.equal(
      await code('PUT', '/p?comp=page', {
        'x-ms-page-write': 'clear',
        'x-ms-range': 'bytes=0-511',
        [name]: value,
      }),
      refusal,
      `${name}: ${value}`,
    );
});

test('the time of the tier guards deletion', async () => {
  const { send, code } = await openAbc();
  const put = { 'x-ms-blob-type': 'BlockBlob', 'x-ms-access-tier': 'Cool' };
  const since = (name: string, date: string) => ({ [`x-ms-access-tier-if-${name}-since`]: date });
  for (const target of ['/t', '/b']) {
    if (target === '/t') assert.equal(await code('PUT', '/t', put, 'x'), '201');
    for (const more of [{}, { 'x-ms-delete-snapshots': 'include' }])
      for (const sent of [since('modified', LATER), since('unmodified', EARLIER)]) {
        const refused = await send('DELETE', target, { ...more, ...sent });
        assert.equal(codeOf(refused), '412 AccessTierChangeTimeConditionNotMet');
        assert.match(refused.text, /using access tier change time conditional header\(s\) is not met/);
      }
  }
  assert.equal(await code('DELETE', '/b', since('modified', 'x')), '400 InvalidHeaderValue');
  assert.equal(await code('DELETE', '/t', since('modified', EARLIER)), '202');
  assert.equal(await code('DELETE', '/b', since('unmodified', LATER)), '202');
});

test('requests on tags have names of their own for the conditions on the blob', async () => {
  const { send, code } = await openAbc();
  const etag = (await send('HEAD', '/b')).headers.get('etag') ?? '';
  const tags = '<Tags><TagSet><Tag><Key>a</Key><Value>1</Value></Tag></TagSet></Tags>';
  const cases: readonly (readonly [name: string, met: string, unmet: string, read: string])[] = [
    ['match', etag, '"0x1"', '412'],
    ['none-match', '"0x1"', etag, '304'],
    ['modified-since', EARLIER, DATE, '304'],
    ['unmodified-since', DATE, EARLIER, '412'],
  ];
  for (const [name, met, unmet, read] of cases) {
    const header = `x-ms-blob-if-${name}`;
    assert.equal(await code('PUT', '/b?comp=tags', { [header]: unmet }, tags), '412 ConditionNotMet', name);
    assert.equal(await code('GET', '/b?comp=tags', { [header]: unmet }), `${read} ConditionNotMet`, name);
    assert.equal(await code('PUT', '/b?comp=tags', { [header]: met }, tags), '204', name);
    assert.equal(await code('GET', '/b?comp=tags', { [header]: met }), '200', name);
  }
  const refused = await send('PUT', '/b?comp=tags', { 'x-ms-blob-if-match': '"0x1"' }, tags);
  assert.match(refused.text, /^\ufeff<\?xml version="1.0" encoding="utf-8"\?>\n<Error>/);
});

test('a digest of any length is kept, and told', async () => {
  const { send, code } = await openAbc();
  const md5 = 'TURBd01EQXdNREE9';
  assert.equal(await code('PUT', '/b?comp=properties', { 'x-ms-blob-content-md5': md5 }), '200');
  assert.equal((await send('HEAD', '/b')).headers.get('content-md5'), md5);
  const part = await send('GET', '/b', { 'x-ms-range': 'bytes=0-1' });
  assert.equal(part.headers.get('x-ms-blob-content-md5'), md5);
  const put = { 'x-ms-blob-type': 'BlockBlob', 'x-ms-blob-content-md5': md5 };
  assert.equal(await code('PUT', '/b', put, 'x'), '400 InvalidMd5');
  assert.equal(await code('PUT', '/b?comp=properties', { 'x-ms-blob-content-md5': '!' }), '400 InvalidMd5');
});

test('conditions on the source of a whole blob', async () => {
  const { send } = await openAbc();
  assert.equal(
    codeOf(await send('PUT', '?restype=container&comp=acl', { 'x-ms-blob-public-access': 'blob' })),
    '200',
  );
  const source = { 'x-ms-blob-type': 'BlockBlob', 'x-ms-copy-source': `http://${HOST}/${ACCOUNT}/abc/b` };
  const from = (name: string, value: string) =>
    send('PUT', '/copy', { ...source, [`x-ms-source-if-${name}`]: value });
  assert.equal(codeOf(await from('match', 'a')), '412 SourceConditionNotMet');
  assert.equal(codeOf(await from('match', '0x111111111111111')), '412 CannotVerifyCopySource');
  const onto = async (etag: string) => codeOf(await send('PUT', '/b', { ...source, 'if-match': etag }));
  assert.equal(await onto('"0x8DB39E1F152A40E"'), '412 ConditionNotMet');
  assert.equal(await onto('"invalidetag"'), '412 TargetConditionNotMet');
  assert.equal(codeOf(await from('modified-since', LATER)), '304 CannotVerifyCopySource');
  const refused = await from('unmodified-since', EARLIER);
  assert.equal(codeOf(refused), '412 CannotVerifyCopySource');
  assert.match(
    refused.text,
    /<Message>The condition specified using HTTP conditional header\(s\) is not met\./,
  );
  assert.equal(codeOf(await from('unmodified-since', LATER)), '201');
});

test('tags that the source of a copy has not', async () => {
  const { code } = await openAbc();
  const source = { 'x-ms-copy-source': `http://${HOST}/${ACCOUNT}/abc/b` };
  const tags = { ...source, 'x-ms-source-if-tags': `"source"='sourcetag'` };
  assert.equal(await code('PUT', '/copy', tags), '412 ConditionNotMet');
  const match = { ...source, 'x-ms-source-if-match': '"0x1"' };
  assert.equal(await code('PUT', '/copy', match), '412 SourceConditionNotMet');
});

test('lists by hierarchy show versions, of which there are none, and no snapshots', async () => {
  const { send, code } = await openAbc();
  const list = '?restype=container&comp=list&delimiter=%2F&include=';
  assert.match((await send('GET', `${list}versions`)).text, /<Name>b<\/Name>/);
  assert.equal(await code('GET', `${list}snapshots`), '400 InvalidQueryParameterValue');
});

test('a blob with nothing committed was modified at no time', async () => {
  const { code } = await openAbc();
  assert.equal(await code('PUT', '/n?comp=block&blockid=AAAAAA==', {}, 'x'), '201');
  const list = '<BlockList><Latest>AAAAAA==</Latest></BlockList>';
  assert.equal(
    await code('PUT', '/n?comp=blocklist', { 'if-modified-since': LATER }, list),
    '412 ConditionNotMet',
  );
  assert.equal(await code('PUT', '/n?comp=blocklist', { 'if-unmodified-since': EARLIER }, list), '201');
});

test('an id of a copy that is none', async () => {
  const { send, code } = await openAbc();
  const abort = { 'x-ms-copy-action': 'abort' };
  const refused = await send('PUT', '/missing?comp=copy&copyid=copynotstarted', abort);
  assert.equal(codeOf(refused), '400 InvalidQueryParameterValue');
  assert.match(
    refused.text,
    /<QueryParameterName>copyid<\/QueryParameterName><QueryParameterValue>copynotstarted<\/QueryParameterValue><Reason>copyid needs to be valid Guid\.<\/Reason>/,
  );
  const id = '281ff345-97ca-4fee-a404-7c97a82c4057';
  assert.equal(await code('PUT', `/missing?comp=copy&copyid=${id}`, abort), '404 BlobNotFound');
});

test('a copy of a sealed blob is sealed', async () => {
  const { send, code } = await openAbc();
  assert.equal(await code('PUT', '/log', { 'x-ms-blob-type': 'AppendBlob' }), '201');
  assert.equal(await code('PUT', '/log?comp=seal'), '200');
  const source = { 'x-ms-copy-source': `http://${HOST}/${ACCOUNT}/abc/log` };
  assert.equal(await code('PUT', '/copy', source), '202');
  assert.equal((await send('HEAD', '/copy')).headers.get('x-ms-blob-sealed'), 'true');
  assert.equal(await code('PUT', '/open', { ...source, 'x-ms-seal-blob': 'false' }), '202');
  assert.equal((await send('HEAD', '/open')).headers.get('x-ms-blob-sealed'), undefined);
  const refused = await send('PUT', '/copy?comp=appendblock', {}, 'abc');
  assert.equal(codeOf(refused), '409 BlobIsSealed');
  assert.match(refused.text, /The blob is sealed and its contents cannot be modified\./);
});

test('the tier that is chosen for a client, and tiers where content is read', async () => {
  const { send, code } = await openAbc();
  assert.equal(await code('PUT', '/b?comp=tier', { 'x-ms-access-tier': 'Smart' }), '200');
  const tierOf = async (method: string, version: string) => {
    const { headers } = await send(method, '/b', { 'x-ms-version': version });
    return [headers.get('x-ms-access-tier'), headers.get('x-ms-smart-access-tier')];
  };
  assert.deepEqual(await tierOf('HEAD', '2026-04-06'), ['Smart', 'Hot']);
  assert.deepEqual(await tierOf('GET', '2026-10-06'), ['Smart', 'Hot']);
  assert.deepEqual(await tierOf('GET', '2023-11-03'), [undefined, undefined]);
  const list = await send('GET', '?restype=container&comp=list');
  assert.match(
    list.text,
    /<AccessTier>Smart<\/AccessTier>.*<\/AccessTierChangeTime><SmartAccessTier>Hot<\/Sm/,
  );
});

test('pages that were written and cleared since a snapshot are told, and whole pages', async () => {
  const { send, code } = await openAbc();
  const create = { 'x-ms-blob-type': 'PageBlob', 'x-ms-blob-content-length': '2048' };
  assert.equal(await code('PUT', '/p', create), '201');
  const snapshot = (await send('PUT', '/p?comp=snapshot')).headers.get('x-ms-snapshot') ?? '';
  const page = (range: string, write: 'update' | 'clear', body = '') =>
    code('PUT', '/p?comp=page', { 'x-ms-page-write': write, 'x-ms-range': `bytes=${range}` }, body);
  assert.equal(await page('0-1535', 'update', 'x'.repeat(1536)), '201');
  assert.equal(await page('512-1023', 'clear'), '201');
  const ranges = async (query: string, headers: Headers = {}) =>
    /<PageList>(.*)<\/PageList>/.exec((await send('GET', `/p?comp=pagelist${query}`, headers)).text)?.[1];
  const since = `&prevsnapshot=${encodeURIComponent(snapshot)}`;
  assert.equal(
    await ranges(`${since}&maxresults=2`),
    '<PageRange><Start>0</Start><End>511</End></PageRange><ClearRange><Start>512</Start><End>1023</End></ClearRange><NextMarker>1024</NextMarker>',
  );
  assert.equal(
    await ranges(`${since}&maxresults=2&marker=1024`),
    '<PageRange><Start>1024</Start><End>1535</End></PageRange>',
  );
  const whole = '<PageRange><Start>0</Start><End>511</End></PageRange>';
  assert.equal(await ranges('', { range: 'bytes=0-100' }), whole);
  assert.equal(await ranges('', { range: 'bytes=511-600' }), whole);
});

test('tiers of snapshots', async () => {
  const { send, code } = await openAbc();
  const snapshot = (await send('PUT', '/b?comp=snapshot')).headers.get('x-ms-snapshot') ?? '';
  const at = `snapshot=${encodeURIComponent(snapshot)}`;
  const inferred = async (version: string) => {
    const { headers } = await send('HEAD', `/b?${at}`, { 'x-ms-version': version });
    return [headers.get('x-ms-access-tier'), headers.get('x-ms-access-tier-inferred')];
  };
  assert.deepEqual(await inferred('2023-11-03'), ['Hot', 'true']);
  assert.deepEqual(await inferred('2018-11-09'), [undefined, undefined]);
  const listed = async (version: string) =>
    (
      await send('GET', '?restype=container&comp=list&include=snapshots', { 'x-ms-version': version })
    ).text.split('<AccessTier>Hot<').length - 1;
  assert.deepEqual([await listed('2023-11-03'), await listed('2018-11-09')], [2, 1]);
  const set = (tier: string) => code('PUT', `/b?comp=tier&${at}`, { 'x-ms-access-tier': tier });
  assert.equal(await set('Archive'), '200');
  assert.equal(await set('Cool'), '409 BlobOperationNotSupported');
  assert.equal(await code('PUT', '/b?comp=tier', { 'x-ms-access-tier': 'Archive' }), '200');
  assert.equal(await code('PUT', '/b?comp=tier', { 'x-ms-access-tier': 'Cool' }), '200');
});

test('what other kinds of accounts have', async () => {
  const { ask, send, code } = await openAbc();
  const expiry = await send('PUT', '/b?comp=expiry', { 'x-ms-expiry-option': 'NeverExpire' });
  assert.equal(codeOf(expiry), '400 HierarchicalNamespaceNotEnabled');
  assert.match(expiry.text, /\?>\n<Error>.*only supported on a hierarchical namespace account\./s);
  const undelete = (headers: Headers) => send('PUT', '?restype=container&comp=undelete', headers);
  const name = { 'x-ms-deleted-container-name': 'abc' };
  const unnamed = await undelete({ 'x-ms-deleted-container-version': '1' });
  assert.match(unnamed.text, /<HeaderName>x-ms-deleted-container-name<\/HeaderName>/);
  assert.equal(codeOf(await undelete(name)), '400 MissingRequiredHeader');
  assert.equal(
    codeOf(await undelete({ ...name, 'x-ms-deleted-container-version': '01D60F8BB59A4652' })),
    '404 ContainerNotFound',
  );
  const nameless = await ask({ method: 'PUT', target: '/?restype=container' });
  assert.equal(codeOf(nameless), '400 InvalidQueryParameterValue');
  assert.match(
    nameless.text,
    /<QueryParameterName>comp<\/QueryParameterName><QueryParameterValue \/><Reason \/>/,
  );
  const retain = (policy: string) => {
    const body = `<StorageServiceProperties><DeleteRetentionPolicy>${policy}</DeleteRetentionPolicy></StorageServiceProperties>`;
    return ask({ method: 'PUT', target: '/?restype=service&comp=properties', body });
  };
  const dayless = await retain('<Enabled>true</Enabled>');
  assert.equal(codeOf(dayless), '400 InvalidXmlDocument');
  assert.match(dayless.text, /<Reason>Element is missing: Days\.<\/Reason>/);
  assert.equal(codeOf(await retain('<Enabled>true</Enabled><Days>366</Days>')), '400 InvalidXmlDocument');
  assert.equal(codeOf(await retain('<Enabled>true</Enabled><Days>7</Days>')), '400 InvalidXmlNodeValue');
  assert.equal(codeOf(await retain('<Enabled>false</Enabled>')), '202');
  assert.equal(await code('PUT', '/b?comp=undelete'), '400 InvalidQueryParameterValue');
});

test('keys and scopes of encryption are refused wherever they are named', async () => {
  const { ask, code } = await openAbc();
  for (const name of ['encryption-key', 'encryption-scope', 'source-encryption-key'])
    for (const [method, target] of [
      ['GET', '/b'],
      ['HEAD', '/b'],
      ['PUT', '/b?comp=snapshot'],
    ] as const)
      assert.equal(await code(method, target, { [`x-ms-${name}`]: 'x' }), '400 UnsupportedHeader', name);
  for (const name of ['x-ms-default-encryption-scope', 'x-ms-deny-encryption-scope-override']) {
    const made = await ask({ method: 'PUT', target: '/other?restype=container', headers: { [name]: 'x' } });
    assert.equal(codeOf(made), '400 UnsupportedHeader', name);
  }
});
