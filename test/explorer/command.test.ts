// The command: `serve --explorer-port` with one process and with several, and `explorer --from`, each opened by its link.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '#base/testing/until';
import { serve } from '#server';
import { ROOT, runToEnd, spawnServer } from '../support/spawned-server.js';
import { secretOf, signIn } from './stage.js';

const LINK = /http:\/\/127\.0\.0\.1:\d+\/#link=[\w-]+/;

/** What the page would see: the accounts, and the tables of the first. */
async function look(
  link: string,
): Promise<{ readonly names: readonly string[]; readonly status: number; readonly hasLive: boolean }> {
  const { origin } = new URL(link);
  const headers = await signIn(link);
  const { accounts, hasLive } = (await (await fetch(`${origin}/accounts`, { headers })).json()) as {
    accounts: { name: string }[];
    hasLive: boolean;
  };
  const [first] = accounts;
  const tables = await fetch(`${origin}/accounts/${first?.name}/table/Tables`, { headers });
  const live = await fetch(`${origin}/live`, { headers });
  assert.equal(live.status, hasLive ? 200 : 404);
  return { names: accounts.map(({ name }) => name), status: tables.status, hasLive };
}

for (const workers of ['1', '2'])
  test(`serve --explorer-port shows every account, ${workers} processes`, async t => {
    const ports = ['--table-port', '0', '--queue-port', 'none', '--blob-port', 'none'];
    const memory =
      workers === '1' ? ['--inMemoryPersistence'] : ['--data', join(ROOT, 'dist', `explorer-${process.pid}`)];
    const server = await spawnServer(
      ['serve', ...ports, ...memory, '--workers', workers, '--explorer-port', '0'],
      {
        env: { ...process.env, SHELFMARK_ACCOUNTS: 'alice:AQID;bob:BAUG' },
      },
    );
    t.after(() => server.stop('SIGTERM'));
    assert.match(server.readyLine, /; explorer at http:\/\/127\.0\.0\.1:\d+; connection string: /);
    await until('a link', () => LINK.test(server.stderr()));
    const [link = ''] = LINK.exec(server.stderr()) ?? [];
    assert(!server.readyLine.includes(secretOf(link)));
    assert.deepEqual(await look(link), { names: ['alice', 'bob'], status: 200, hasLive: true });
    assert.equal((await server.stop('SIGTERM')).code, 0);
  });

test('explorer --from shows the account of a connection string', async t => {
  const server = await serve({ data: undefined });
  const command = [join(ROOT, 'bin', 'shelfmark.js'), 'explorer', '--port', '0'];
  const explorer = spawn(process.execPath, command, {
    env: { ...process.env, SHELFMARK_FROM: server.connectionString() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => explorer.kill('SIGKILL'));
  t.after(() => server.close());
  let said = '';
  explorer.stdout.on('data', chunk => {
    said += String(chunk);
  });
  await until('a link', () => LINK.test(said));
  const [link = ''] = LINK.exec(said) ?? [];
  assert.deepEqual(await look(link), { names: ['devstoreaccount1'], status: 200, hasLive: false });
  assert(!said.includes(server.account.key));
  const ended = once(explorer, 'exit');
  explorer.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});

test('beyond loopback it refuses to start, with a sentence', async () => {
  const ports = ['--table-port', '0', '--queue-port', 'none', '--blob-port', 'none', '--inMemoryPersistence'];
  const refused = await runToEnd(['serve', ...ports, '--explorer-port', '0', '--explorer-host', '0.0.0.0']);
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /^shelfmark: The explorer can read and change everything, so it listens on 0\.0\.0\.0 only with --allow-remote-explorer/,
  );
  assert(!refused.stderr.includes('    at '), refused.stderr);
  const from = ['explorer', '--port', '0', '--host', '0.0.0.0', '--allow-remote-explorer'];
  const open = await runToEnd([...from, '--from', 'UseDevelopmentStorage=true']);
  assert.match(open.stderr, /only with TLS: pass --cert and --key/);
  const none = await runToEnd(['explorer'], { env: { ...process.env, SHELFMARK_FROM: '' } });
  assert.match(none.stderr, /Neither --from nor SHELFMARK_FROM is given/);
});

test('a certificate and key that cannot be used are refused in a sentence', async () => {
  const from = ['explorer', '--from', 'UseDevelopmentStorage=true', '--port', '0'];
  const page = join(ROOT, 'README.md');
  for (const [more, sentence] of [
    [['--cert', page], /^shelfmark: --cert and --key go together\.\n$/],
    [['--cert', `${page}.pem`, '--key', page], /^shelfmark: --cert names a file that cannot be read: .+\n$/],
    [['--cert', page, '--key', page], /^shelfmark: .+ cannot be used as certificate and key: .+\n$/],
  ] as const)
    assert.match((await runToEnd([...from, ...more])).stderr, sentence);
});
