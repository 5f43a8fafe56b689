// A server behind nginx, which ends TLS: signatures for HTTPS only, signatures for addresses, and links are those of the client's side, and
// no client can pose as another. Skipped where nginx is not installed.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '#base/testing/until';
import { makeCertificate } from '../../packages/http/testing/certificate.js';
import { WELL_KNOWN_KEY } from '../../packages/server/auth/accounts.js';
import { accountSas } from '../../packages/server/testing/service.js';
import { type SpawnedServer, spawnServer } from '../support/spawned-server.js';
import { freePort, isTaken } from '../support/taken-port.js';

const skip = spawnSync('nginx', ['-v']).error !== undefined && 'nginx is not installed';
const ACCOUNT = '/devstoreaccount1';
/** Not the address by which nginx connects. */
const CLIENT = '127.0.0.2';
const HOST = 'tables.example:8443';

interface Proxy {
  readonly secure: number;
  readonly plain: number;
}

/** As the manual has it: the fields are set, not passed on, but for X-Forwarded-For, which is added to. */
function configuration(directory: string, { secure, plain }: Proxy, server: SpawnedServer): string {
  return `
    user root;
    daemon off;
    worker_processes 1;
    error_log stderr;
    pid ${directory}/pid;
    events {}
    http {
      access_log off;
      client_max_body_size 8m;
      client_body_temp_path ${directory}/body;
      proxy_temp_path ${directory}/proxy;
      fastcgi_temp_path ${directory}/fastcgi;
      uwsgi_temp_path ${directory}/uwsgi;
      scgi_temp_path ${directory}/scgi;
      server {
        listen 127.0.0.1:${plain};
        listen 127.0.0.1:${secure} ssl;
        ssl_certificate ${directory}/cert.pem;
        ssl_certificate_key ${directory}/key.pem;
        location / {
          proxy_pass http://127.0.0.1:${server.port};
          proxy_http_version 1.1;
          proxy_set_header Connection "";
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
          proxy_set_header X-Forwarded-Proto $scheme;
          proxy_set_header X-Forwarded-Host $http_host;
        }
      }
    }`;
}

async function startNginx(t: TestContext, server: SpawnedServer): Promise<Proxy> {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-nginx-'));
  const { cert, key } = makeCertificate();
  writeFileSync(join(directory, 'cert.pem'), cert);
  writeFileSync(join(directory, 'key.pem'), key);
  const proxy = { secure: await freePort(), plain: await freePort() };
  writeFileSync(join(directory, 'nginx.conf'), configuration(directory, proxy, server));
  const args = ['-p', directory, '-c', join(directory, 'nginx.conf'), '-e', 'stderr'];
  const nginx: ChildProcess = spawn('nginx', args, { stdio: ['ignore', 'inherit', 'inherit'] });
  t.after(async () => {
    nginx.kill('SIGTERM');
    await once(nginx, 'exit');
    rmSync(directory, { recursive: true, maxRetries: 5 });
  });
  await until('nginx listens', () => isTaken(proxy.secure));
  return proxy;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Answered {
  readonly status: number | undefined;
  readonly code: string;
  readonly body: string;
}

/** From CLIENT, for HOST. */
async function ask(port: number, isSecure: boolean, path: string, asked: Asked = {}): Promise<Answered> {
  const { method = 'GET', headers = {}, body = '' } = asked;
  const options = {
    host: '127.0.0.1',
    port,
    localAddress: CLIENT,
    path: ACCOUNT + path,
    method,
    headers: {
      Host: HOST,
      'x-ms-version': '2019-02-02',
      'Content-Length': Buffer.byteLength(body),
      ...headers,
    },
    agent: false,
  } as const;
  const request = isSecure ? https.request({ ...options, rejectUnauthorized: false }) : http.request(options);
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of response) text += String(piece);
  return { status: response.statusCode, code: /"code":"(\w+)"/.exec(text)?.[1] ?? '', body: text };
}

async function start(
  t: TestContext,
  ...options: readonly string[]
): Promise<Proxy & { readonly server: SpawnedServer }> {
  const args = ['serve', '--inMemoryPersistence', '--table-port', '0', '--silent', ...options];
  // With a second key the account is not the published one, which may do without HTTPS on this machine.
  const keys = `devstoreaccount1:${WELL_KNOWN_KEY}:${Buffer.from('a second key').toString('base64')}`;
  const server = await spawnServer(args, { env: { ...process.env, SHELFMARK_ACCOUNTS: keys } });
  t.after(() => server.stop('SIGKILL'));
  return { server, ...(await startNginx(t, server)) };
}

const JSON_BODY = { 'Content-Type': 'application/json', Accept: 'application/json;odata=fullmetadata' };
const sas = (fields: Readonly<Record<string, string>>): string =>
  `?${accountSas({ sp: 'rwdlacu', ...fields })}`;
const HTTPS_ONLY = sas({ spr: 'https' });

test('behind a trusted proxy a request has the address, the scheme and the host of its client', {
  skip,
  timeout: 240_000,
}, async t => {
  const { server, secure, plain } = await start(t, '--trusted-proxy', '10.0.0.0/8', '127.0.0.1');
  const create = { method: 'POST', headers: JSON_BODY, body: '{"TableName":"people"}' };
  const created = await ask(secure, true, `/Tables${HTTPS_ONLY}`, create);
  assert.equal(created.status, 201, created.body);
  assert.match(
    created.body,
    /"odata\.metadata":"https:\/\/tables\.example:8443\/devstoreaccount1\/\$metadata#Tables/,
  );

  const name = 'x'.repeat(25_000);
  const entity = { PartitionKey: 'p', RowKey: 'r', a: name, b: name, c: name };
  const insert = { method: 'POST', headers: JSON_BODY, body: JSON.stringify(entity) };
  assert.equal((await ask(secure, true, `/people${HTTPS_ONLY}`, insert)).status, 201);
  const read = await ask(secure, true, `/people(PartitionKey='p',RowKey='r')${HTTPS_ONLY}`, {
    headers: JSON_BODY,
  });
  assert.match(read.body, /"odata\.id":"https:\/\/tables\.example:8443\/devstoreaccount1\/people\(/);

  const refused = (asked: Promise<Answered>): Promise<string> =>
    asked.then(({ status, code }) => `${status} ${code}`);
  const list = `/Tables${HTTPS_ONLY}`;
  assert.equal(await refused(ask(plain, false, list)), '403 AuthorizationProtocolMismatch');
  assert.equal(await refused(ask(server.port, false, list)), '403 AuthorizationProtocolMismatch');
  const mine = `/Tables${sas({ sip: CLIENT })}`;
  const proxys = `/Tables${sas({ sip: '127.0.0.1' })}`;
  assert.equal(await refused(ask(secure, true, mine)), '200 ');
  assert.equal(await refused(ask(secure, true, proxys)), '403 AuthorizationSourceIPMismatch');

  // What the client says of itself counts for nothing.
  const forged = { 'X-Forwarded-For': '127.0.0.1', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil' };
  assert.equal(
    await refused(ask(plain, false, list, { headers: forged })),
    '403 AuthorizationProtocolMismatch',
  );
  assert.equal(
    await refused(ask(secure, true, proxys, { headers: forged })),
    '403 AuthorizationSourceIPMismatch',
  );
  assert.equal(
    (await ask(secure, true, list, { headers: { ...JSON_BODY, ...forged } })).body.includes('evil'),
    false,
  );
  for (const headers of [
    { Forwarded: 'for=127.0.0.1;proto=https' },
    { Forwarded: `for=${CLIENT};proto=https` },
  ])
    assert.equal((await ask(plain, false, list, { headers })).status, 400);
  // From here it comes by no proxy of ours.
  assert.equal(
    await refused(ask(server.port, false, list, { headers: forged })),
    '403 AuthorizationProtocolMismatch',
  );
});

test('a proxy that is not named is a client like others', { skip, timeout: 240_000 }, async t => {
  const { secure } = await start(t);
  const { code } = await ask(secure, true, `/Tables${HTTPS_ONLY}`);
  assert.equal(code, 'AuthorizationProtocolMismatch');
  const { body } = await ask(secure, true, `/Tables${sas({})}`, { headers: JSON_BODY });
  assert.match(body, /"odata\.metadata":"http:\/\/127\.0\.0\.1:\d+\/devstoreaccount1\//);
});
