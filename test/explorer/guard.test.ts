// What the explorer's server lets by: its own page with a session, and nothing else. Requests are those of browsers under
// attack: another host name (DNS rebinding), another origin (CSRF), a frame, a cookie without its proof.
import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { parseAddress } from '#data-tools';
import { ExplorerRefused, openExplorer } from '#explorer';
import { makeCertificate } from '../../packages/http/testing/certificate.js';
import { settingsOf } from '../support/running-peer.js';
import { openStage, type Stage, secretOf, signIn } from './stage.js';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

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

  const ask = (path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { port } = stage.explorer;
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const all = { host: `127.0.0.1:${port}`, ...length, ...headers };
      const outgoing = request({ host: '127.0.0.1', port, path, method, headers: all }, incoming => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  const own = (): string => stage.explorer.url;
  const open = (link: string, headers = {}): Promise<Answer> =>
    ask('/session', {
      method: 'POST',
      headers: { origin: own(), ...headers },
      body: JSON.stringify({ link }),
    });

  test('a link works once, and the page can have another printed', async () => {
    const used = await open(secretOf(stage.links[0]));
    assert.deepEqual([used.status, used.headers['x-explorer-error']], [403, 'WrongLink']);
    const print = { method: 'POST', headers: { origin: own() }, body: '{}' };
    stage.pass(10_000);
    assert.equal((await ask('/session/link', print)).status, 201);
    assert.equal((await ask('/session/link', print)).status, 429);
    assert.equal(stage.links.length, 2);
    await signIn(stage.links.at(-1));
  });

  test('without a session there is the page, and nothing else', async () => {
    assert.equal((await ask('/')).status, 200);
    for (const path of [
      '/accounts',
      '/accounts/devstoreaccount1/table/Tables',
      '/downloads/x',
      '/live',
      '/heat',
    ])
      assert.equal((await ask(path)).status, 401, path);
    assert.equal(
      (await ask('/signatures', { method: 'POST', headers: { origin: own() }, body: '{}' })).status,
      401,
    );
    for (const path of ['/../package.json', '/..%2f..%2findex.js', '/assets/../../index.js', '//etc/passwd'])
      assert.equal((await ask(path)).status, 404, path);
  });

  test('the cookie alone is not enough: other ports of this host receive it too', async () => {
    const { cookie = '' } = session;
    assert.equal((await ask('/accounts', { headers: { cookie } })).status, 401);
    assert.equal((await ask('/accounts', { headers: { cookie, 'x-explorer-proof': 'x' } })).status, 401);
    assert.equal((await ask('/accounts', { headers: session })).status, 200);
  });

  test('no key reaches the page', async () => {
    const { text } = await ask('/accounts', { headers: session });
    const settings = settingsOf(stage.server.connectionString());
    const [name = '', key = '', tableUrl] = ['AccountName', 'AccountKey', 'TableEndpoint'].map(setting =>
      settings.get(setting),
    );
    const { accounts } = JSON.parse(text) as { accounts: { name: string; endpoints: { table: string } }[] };
    const [account] = accounts;
    assert.deepEqual([account?.name, account?.endpoints.table], [name, tableUrl]);
    const tables = await ask(`/accounts/${name}/table/Tables`, { headers: session });
    assert.equal(tables.status, 200);
    for (const answer of [text, tables.text, JSON.stringify(tables.headers)]) assert(!answer.includes(key));
  });

  test('another host name is not answered, whatever the request is (DNS rebinding)', async () => {
    const { port } = stage.explorer;
    for (const host of [
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `localhost.evil.example:${port}`,
      `127.0.0.1:${port + 1}`,
      '127.0.0.1',
      `user@127.0.0.1:${port}`,
    ])
      for (const path of ['/', '/accounts'])
        assert.equal((await ask(path, { headers: { ...session, host } })).status, 421, `${host} ${path}`);
    for (const host of [`localhost:${port}`, `[::1]:${port}`])
      assert.equal((await ask('/accounts', { headers: { ...session, host } })).status, 200, host);
  });

  test('a page of another origin may ask nothing (CSRF), also with both secrets', async () => {
    const post = { method: 'POST', body: '{"TableName":"stolen"}' };
    const path = '/accounts/devstoreaccount1/table/Tables';
    const refused = [
      { origin: 'http://evil.example' },
      { origin: `http://127.0.0.1:${stage.explorer.port + 1}` },
      { origin: 'null' },
      { origin: own(), 'sec-fetch-site': 'cross-site' },
      { origin: own(), 'sec-fetch-site': 'same-site' },
      {},
    ];
    for (const headers of refused) {
      const { status } = await ask(path, { ...post, headers: { ...session, ...headers } });
      assert.equal(status, 403, JSON.stringify(headers));
      assert.equal((await open('x', { origin: 'http://evil.example', ...headers })).status, 403);
    }
    assert.equal(
      (await ask('/accounts', { headers: { ...session, 'sec-fetch-site': 'same-site' } })).status,
      403,
    );
    const headers = { ...session, origin: own(), 'content-type': 'application/json' };
    assert.equal((await ask(path, { ...post, headers })).status, 201);
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
    const headers = { ...session, origin: own(), 'content-type': 'application/json' };
    const blob = '/accounts/devstoreaccount1/blob';
    await ask(`${blob}/pages?restype=container`, { method: 'PUT', headers });
    const put = { ...headers, 'content-type': 'text/html', 'x-ms-blob-type': 'BlockBlob' };
    const body = '<script>alert(1)</script>';
    assert.equal((await ask(`${blob}/pages/evil.html`, { method: 'PUT', headers: put, body })).status, 201);
    const asked = {
      method: 'POST',
      headers,
      body: JSON.stringify({ path: `${blob}/pages/evil.html`, name: 'a"b\n.html' }),
    };
    const { url } = JSON.parse((await ask('/downloads', asked)).text) as { url: string };
    const { cookie = '' } = session;
    const first = await ask(url, { headers: { cookie } });
    assert.deepEqual([first.status, first.text], [200, body]);
    assert.equal(first.headers['content-type'], 'application/octet-stream');
    assert.equal(first.headers['content-disposition'], "attachment; filename*=UTF-8''a%22b%0A.html");
    assert.equal((await ask(url, { headers: { cookie } })).status, 404);
  });

  test('an account that does not answer is a sentence', async () => {
    const other = await openStage({}, () => [
      parseAddress('AccountName=gone;AccountKey=AAAA;TableEndpoint=http://127.0.0.1:9/gone'),
    ]);
    const here = stage;
    stage = other;
    try {
      const mine = await signIn(stage.links.at(-1));
      const { status, text } = await ask('/accounts/gone/table/Tables', { headers: mine });
      assert.equal(status, 502);
      assert.match(text, /account gone at http:\/\/127\.0\.0\.1:9 does not answer \(ECONNREFUSED\)/);
      assert.equal((await ask('/accounts/none/table/', { headers: mine })).status, 404);
    } finally {
      stage = here;
      await other.close();
    }
  });

  test('a session ends after idle hours', async () => {
    stage.pass(10_000);
    const print = { method: 'POST', headers: { origin: own() }, body: '{}' };
    await ask('/session/link', print);
    const mine = await signIn(stage.links.at(-1));
    stage.pass(13 * HOUR);
    const { status, headers } = await ask('/accounts', { headers: mine });
    assert.deepEqual([status, headers['x-explorer-error']], [401, 'SessionEnded']);
    await ask('/session/link', print);
    session = await signIn(stage.links.at(-1));
  });
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
