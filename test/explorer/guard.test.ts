// What the explorer's server lets by: its own page with a session, and nothing else. Requests are those of browsers under
// attack: another host name (DNS rebinding), another origin (CSRF), a frame, a cookie without its proof.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { parseAddress } from '#data-tools';
import { ExplorerRefused, openExplorer } from '#explorer';
import { makeCertificate } from '../../packages/http/testing/certificate.js';
import { settingsOf } from '../support/running-peer.js';
import { openStage, type Stage, secretOf, signIn } from './stage.js';

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const HOUR = 3_600_000;

describe("the explorer's server", () => {
  let stage: Stage;
  let session: Readonly<Record<string, string>>;
  before(async () => {
    stage = await openStage();
    session = await signIn(stage.links.at(-1));
  });
  after(() => stage.close());

  // By node:http, because fetch sets the Host header itself.
  async function ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}) {
    const { port } = stage.explorer;
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const all = { host: `127.0.0.1:${port}`, ...length, ...headers };
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers: all }).end(body);
    const [answer]: IncomingMessage[] = await once(outgoing, 'response');
    assert(answer);
    return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) };
  }
  const post = (path: string, body: unknown, headers: Asked['headers'] = {}) =>
    ask(path, {
      method: 'POST',
      headers: { origin: stage.explorer.url, ...headers },
      body: JSON.stringify(body),
    });
  const statusOf = async (path: string, headers: Asked['headers'] = {}): Promise<number> =>
    (await ask(path, { headers })).status;

  test('a link works once, and the page can have another printed', async () => {
    const used = await post('/session', { link: secretOf(stage.links[0]) });
    assert.deepEqual([used.status, used.headers['x-explorer-error']], [403, 'WrongLink']);
    stage.pass(10_000);
    assert.equal((await post('/session/link', {})).status, 201);
    assert.equal((await post('/session/link', {})).status, 429);
    assert.equal(stage.links.length, 2);
    await signIn(stage.links.at(-1));
  });

  test('without a session there is the page, and nothing else', async () => {
    assert.equal(await statusOf('/'), 200);
    const account = '/accounts/devstoreaccount1/table/Tables';
    for (const path of ['/accounts', account, '/downloads/x', '/live', '/heat'])
      assert.equal(await statusOf(path), 401, path);
    assert.equal((await post('/signatures', {})).status, 401);
    for (const path of ['/../package.json', '/..%2f..%2findex.js', '/assets/../../index.js', '//etc/passwd'])
      assert.equal(await statusOf(path), 404, path);
  });

  test('the cookie alone is not enough: other ports of this host receive it too', async () => {
    const { cookie = '' } = session;
    assert.equal(await statusOf('/accounts', { cookie }), 401);
    assert.equal(await statusOf('/accounts', { cookie, 'x-explorer-proof': 'x' }), 401);
    assert.equal(await statusOf('/accounts', session), 200);
  });

  test('no key reaches the page', async () => {
    const listed = await ask('/accounts', { headers: session });
    const settings = settingsOf(stage.server.connectionString());
    const [name = '', key = '', tableUrl] = ['AccountName', 'AccountKey', 'TableEndpoint'].map(setting =>
      settings.get(setting),
    );
    const { accounts } = JSON.parse(listed.text) as {
      accounts: { name: string; endpoints: { table: string } }[];
    };
    const [account] = accounts;
    assert.deepEqual([account?.name, account?.endpoints.table], [name, tableUrl]);
    const tables = await ask(`/accounts/${name}/table/Tables`, { headers: session });
    assert.equal(tables.status, 200);
    for (const answer of [listed.text, tables.text, JSON.stringify(tables.headers)])
      assert(!answer.includes(key));
  });

  test('another host name is not answered, whatever the request is (DNS rebinding)', async () => {
    const { port } = stage.explorer;
    const foreign = ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', 'user@127.0.0.1'];
    for (const host of [...foreign.map(name => `${name}:${port}`), `127.0.0.1:${port + 1}`, '127.0.0.1'])
      for (const path of ['/', '/accounts'])
        assert.equal(await statusOf(path, { ...session, host }), 421, `${host} ${path}`);
    for (const host of [`localhost:${port}`, `[::1]:${port}`])
      assert.equal(await statusOf('/accounts', { ...session, host }), 200, host);
  });

  test('a page of another origin may ask nothing (CSRF), also with both secrets', async () => {
    const { url, port } = stage.explorer;
    const path = '/accounts/devstoreaccount1/table/Tables';
    const body = '{"TableName":"stolen"}';
    const json = { 'content-type': 'application/json' };
    for (const headers of [
      { origin: 'http://evil.example' },
      { origin: `http://127.0.0.1:${port + 1}` },
      { origin: 'null' },
      { origin: url, 'sec-fetch-site': 'cross-site' },
      { origin: url, 'sec-fetch-site': 'same-site' },
      {},
    ]) {
      const asked = { method: 'POST', headers: { ...session, ...json, ...headers }, body };
      assert.equal((await ask(path, asked)).status, 403, JSON.stringify(headers));
      assert.equal((await ask('/session', { ...asked, headers })).status, 403);
    }
    assert.equal(await statusOf('/accounts', { ...session, 'sec-fetch-site': 'same-site' }), 403);
    const own = { method: 'POST', headers: { ...session, ...json, origin: url }, body };
    assert.equal((await ask(path, own)).status, 201);
  });

  test('every answer forbids frames, sniffing and scripts of others', async () => {
    const page = await ask('/');
    const policy = String(page.headers['content-security-policy']);
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert(!policy.includes('unsafe'), policy);
    const account = await ask('/accounts/devstoreaccount1/table/Tables', { headers: session });
    const refused = await ask('/accounts');
    for (const { headers } of [page, account, refused]) {
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/);
      assert.equal(headers['x-frame-options'], 'DENY');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
      assert.equal(headers['referrer-policy'], 'no-referrer');
    }
    // What a blob contains must not run in the explorer's origin.
    assert.match(String(account.headers['content-security-policy']), /sandbox/);
  });

  test('a download needs a ticket, which works once, and is never shown in this origin', async () => {
    const headers = { ...session, origin: stage.explorer.url };
    const blob = '/accounts/devstoreaccount1/blob';
    await ask(`${blob}/pages?restype=container`, { method: 'PUT', headers });
    const put = { ...headers, 'content-type': 'text/html', 'x-ms-blob-type': 'BlockBlob' };
    const body = '<script>alert(1)</script>';
    assert.equal((await ask(`${blob}/pages/evil.html`, { method: 'PUT', headers: put, body })).status, 201);
    const asked = await post('/downloads', { path: `${blob}/pages/evil.html`, name: 'a"b\n.html' }, session);
    const { url } = JSON.parse(asked.text) as { url: string };
    const { cookie = '' } = session;
    const first = await ask(url, { headers: { cookie } });
    assert.deepEqual([first.status, first.text], [200, body]);
    assert.equal(first.headers['content-type'], 'application/octet-stream');
    assert.equal(first.headers['content-disposition'], "attachment; filename*=UTF-8''a%22b%0A.html");
    assert.equal(await statusOf(url, { cookie }), 404);
  });

  test('a session ends after idle hours, not while it is used', async () => {
    for (let hours = 0; hours < 22; hours += 11) {
      stage.pass(11 * HOUR);
      assert.notEqual(await statusOf('/live', session), 401);
    }
    stage.pass(13 * HOUR);
    const { status, headers } = await ask('/accounts', { headers: session });
    assert.deepEqual([status, headers['x-explorer-error']], [401, 'SessionEnded']);
  });
});

test('an account that does not answer is a sentence', async t => {
  const gone = 'AccountName=gone;AccountKey=AAAA;TableEndpoint=http://127.0.0.1:9/gone';
  const { explorer, links, close } = await openStage({}, () => [parseAddress(gone)]);
  t.after(close);
  const headers = await signIn(links.at(-1));
  const answer = await fetch(`${explorer.url}/accounts/gone/table/Tables`, { headers });
  assert.equal(answer.status, 502);
  assert.match(
    await answer.text(),
    /account gone at http:\/\/127\.0\.0\.1:9 does not answer \(ECONNREFUSED\)/,
  );
  assert.equal((await fetch(`${explorer.url}/accounts/none/table/`, { headers })).status, 404);
});

test('beyond loopback the explorer needs permission and TLS', async () => {
  const options = { port: 0, accounts: () => [], onLink: () => undefined };
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'example.com']) {
    await assert.rejects(openExplorer({ ...options, host }), ExplorerRefused);
    await assert.rejects(openExplorer({ ...options, host, allowRemote: true }), /only with TLS/);
  }
});

test('the link of a server on every address has a name of its certificate', async () => {
  const links: string[] = [];
  const explorer = await openExplorer({
    ...{ port: 0, host: '0.0.0.0', allowRemote: true, tls: makeCertificate(), accounts: () => [] },
    onLink: link => links.push(link),
  });
  await explorer.close();
  assert.match(links[0] ?? '', /^https:\/\/localhost:\d+\/#link=/);
});
