// The pattern library in a browser: bundled without any module of Node, its size, and a page of headless Chromium that
// reads and writes through CORS. Skipped without Chromium: Debian's package of that name, or the program that CHROMIUM
// names.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { AzureNamedKeyCredential, generateAccountSas, TableServiceClient } from '@azure/data-tables';
import { type RunningServer, serve } from 'shelfmark';
import { ROOT } from '../support/spawned-server.js';

const run = promisify(execFile);

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** For everything that the root exports, without the clients; gzip as a server would send it. */
const GZIP_BYTES_MAX = 32_000;

/** For the class of errors with its sentences: anything else that is bundled with it has side effects on import. */
const ERROR_BYTES_MAX = 1_400;

/** The page's script: the test chooses the words that it sends back. */
const PAGE = `
import { AzureSASCredential, TableServiceClient } from '@azure/data-tables';
import { codec, entity, Instant, key, open, PatternError, t } from './index.js';

const Note = entity('Note', {
  version: 1,
  table: 'Notes',
  props: { user: t.string(), at: t.instant(), text: t.string(), photo: t.bytes().optional() },
  partition: p => key(p.user.as(codec.hash(4)), p.user),
  row: p => key(p.at.as(codec.timeDesc)),
});

async function notes() {
  const { url, sas } = await (await fetch('/where')).json();
  const tables = new TableServiceClient(url, new AzureSASCredential(sas), { allowInsecureConnection: true });
  await tables.createTable('Notes');
  const secret = new TextEncoder().encode('32 bytes from your secrets');
  const repo = open({ tables }, { queries: { tokenSecret: secret } }).repo(Note);
  const photo = new Uint8Array([0, 255, 7]);
  const at = hour => Instant.parse('2026-01-01T0' + hour + ':00:00.1234567Z');
  const first = await repo.create({ user: 'ann', at: at(1), text: 'é €', photo });
  await repo.create({ user: 'ann', at: at(2), text: 'two' });
  const changed = await repo.merge(first, { text: 'one' });
  const refused = await repo.merge(first, { text: 'lost' }).catch(error => error);
  await open({ tables }).batch(Note, { user: 'ann' }).create(Note, { user: 'ann', at: at(3), text: 'three' }).commit();
  const page = await repo.partition({ user: 'ann' }).page({ size: 2 });
  const next = await repo.partition({ user: 'ann' }).page({ size: 2, resume: page.next });
  return {
    code: PatternError.is(refused) ? refused.code : String(refused),
    texts: [page, next].map(({ items }) => items.map(({ value }) => value.text)),
    photo: [...(next.items[0]?.value.photo ?? [])],
    at: String(next.items[0]?.value.at),
    etag: changed.etag === next.items[0]?.etag,
  };
}

const said = await notes().catch(error => ({ error: String(error?.stack ?? error) }));
await fetch('/said', { method: 'POST', body: JSON.stringify(said) });
`;

/** Allows pages of any origin; returns a signature for them. */
async function admitPages(
  client: TableServiceClient,
  { name, key }: RunningServer['account'],
): Promise<string> {
  const any = { allowedHeaders: '*', exposedHeaders: '*', maxAgeInSeconds: 60 };
  const allowedMethods = 'GET,HEAD,POST,PUT,MERGE,DELETE,OPTIONS,PATCH';
  await client.setProperties({ cors: [{ allowedOrigins: '*', allowedMethods, ...any }] });
  const permissions = { query: true, write: true, list: true, add: true, create: true, update: true };
  return generateAccountSas(new AzureNamedKeyCredential(name, key), { permissions });
}

describe('the pattern library in a browser', () => {
  let folder = '';
  const unpacked = (): string => join(folder, 'package');
  const bundle = (entry: string, ...options: string[]): Promise<unknown> =>
    run(join(ROOT, 'node_modules', '.bin', 'esbuild'), [
      join(unpacked(), entry),
      '--bundle',
      '--minify',
      '--format=esm',
      '--platform=browser',
      `--outfile=${join(folder, 'bundle.js')}`,
      ...options,
    ]);

  before(async () => {
    // Below the repository, where the clients are found.
    folder = await mkdtemp(join(ROOT, 'dist', 'browser-'));
    const { stdout } = await run(process.execPath, [join(ROOT, 'dist', 'tools', 'pack-patterns.js'), folder]);
    await run('tar', ['-xzf', stdout.trim(), '-C', folder]);
  });
  after(() => rm(folder, { recursive: true }));

  test('is bundled without a module of Node, and small', async t => {
    await bundle('index.js', '--external:@azure/*');
    const bytes = gzipSync(await readFile(join(folder, 'bundle.js')), { level: 9 }).length;
    t.diagnostic(`${bytes} bytes with gzip`);
    assert(bytes < GZIP_BYTES_MAX, `${bytes} bytes`);
  });

  test('weighs what a program imports', async () => {
    const one = join(unpacked(), 'one.js');
    await writeFile(one, "import { PatternError } from 'shelfmark-patterns'; console.log(PatternError);");
    await bundle('one.js', `--alias:shelfmark-patterns=${unpacked()}`);
    const bytes = gzipSync(await readFile(join(folder, 'bundle.js')), { level: 9 }).length;
    assert(bytes < ERROR_BYTES_MAX, `${bytes} bytes for the errors alone`);
  });

  const skip = existsSync(CHROMIUM) ? false : `There is no ${CHROMIUM}: install Debian's chromium.`;
  test('reads and writes from a page', { skip }, async () => {
    await writeFile(join(unpacked(), 'page.js'), PAGE);
    await bundle('page.js');
    const script = await readFile(join(folder, 'bundle.js'));
    const server = await serve({ data: undefined });
    const client = TableServiceClient.fromConnectionString(server.connectionString(), {
      allowInsecureConnection: true,
    });
    const sas = await admitPages(client, server.account);
    let say = (_: unknown): void => undefined;
    const said = new Promise(resolve => {
      say = resolve;
    });
    const site = createServer(async (request, response) => {
      const send = (type: string, body: string | Buffer): void => {
        response.writeHead(200, { 'Content-Type': type }).end(body);
      };
      if (request.url === '/where') return send('application/json', JSON.stringify({ url: client.url, sas }));
      if (request.url === '/page.js') return send('text/javascript', script);
      if (request.url !== '/said')
        return send('text/html', '<!doctype html><script type="module" src="/page.js"></script>');
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      send('text/plain', '');
      say(JSON.parse(Buffer.concat(chunks).toString()));
    });
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
    const { port } = site.address() as AddressInfo;
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
    const browser = spawn(
      CHROMIUM,
      [...flags, `--user-data-dir=${join(folder, 'profile')}`, `http://127.0.0.1:${port}/`],
      {
        stdio: 'ignore',
      },
    );
    try {
      assert.deepEqual(await said, {
        code: 'Conflict',
        texts: [['three', 'two'], ['one']],
        photo: [0, 255, 7],
        at: '2026-01-01T01:00:00.1234567Z',
        etag: true,
      });
    } finally {
      const ended = once(browser, 'exit');
      browser.kill('SIGKILL');
      await ended;
      site.closeAllConnections();
      site.close();
      await server.close();
    }
  });
});
