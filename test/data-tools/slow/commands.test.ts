// The commands as their users run them, each in a process of its own: exit codes, standard output and standard error,
// addresses of every form, signatures with minimal permissions, and no secret anywhere.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { BlobServiceClient, ContainerSASPermissions } from '@azure/storage-blob';
import { type RunningServer, serve } from 'shelfmark';
import { type CommandOptions, type Ended, runCommand } from '../command-run.js';

const execute = promisify(execFile);
const ROWS = 1200;
const lineOf = (i: number): string =>
  `{"PartitionKey":"p${i % 3}","RowKey":"${String(i).padStart(5, '0')}","big@odata.type":"Edm.Int64","big":"${i}","n":${i}}\n`;

describe('the commands of the data tools', () => {
  let server: RunningServer;
  let folder = '';
  const ran: Ended[] = [];
  const address = (): string => server.connectionString();
  const at = (name: string): string => join(folder, name);

  const run = async (args: readonly string[], options: CommandOptions = {}): Promise<Ended> => {
    const ended = await runCommand(args, { from: address(), to: address(), cwd: folder, ...options });
    ran.push(ended);
    return ended;
  };
  /** Runs to an exit code; the last event agrees. */
  const ends = async (code: number, args: readonly string[], options?: CommandOptions): Promise<Ended> => {
    const ended = await run(args, options);
    assert.equal(ended.code, code, `${args.join(' ')}: ${ended.told}`);
    const last = ended.events.at(-1);
    assert(code === 0 || code === 5 || last?.event === 'done' || last?.code === code, ended.told);
    return ended;
  };
  const sas = async (table: string, permissions: string): Promise<string> => {
    const { out } = await ends(0, ['sas', '--table', table, '--permissions', permissions, '--expires', '1h']);
    return out.toString().trim();
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'shelfmark-commands-'));
    server = await serve({ data: undefined });
    await writeFile(at('rows.jsonl'), Array.from({ length: ROWS }, (_, i) => lineOf(i)).join(''));
    await ends(0, ['load', '--table', 'Orders', 'rows.jsonl']);
    await ends(0, ['dump', '--all', '--out', 'whole']);
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  test('a place where no directory can be created is reported at once', {
    skip: !existsSync('/proc/self'),
  }, async () => {
    const { events } = await ends(4, ['dump', '--all', '--out', '/proc/x/y']);
    assert.match(String(events.at(-1)?.message), /mkdir '\/proc\/x'/);
    await ends(4, ['dump', '--table', 'Orders', '--out', '/proc/x/y.jsonl']);
    await ends(4, ['load', '--table', 'Orders', '--journal', '/proc/x/y', 'rows.jsonl']);
  });

  test('Parquet is an output only, which a load reports', async () => {
    await ends(0, ['dump', '--table', 'Orders', '--out', 'rows.parquet']);
    const { events } = await ends(2, ['load', '--table', 'Orders', 'rows.parquet']);
    assert.match(String(events.at(-1)?.message), /goes out only/);
  });

  test('a dump is whole for sha256sum, verify and diff', async () => {
    const { stdout: told } = await execute('sha256sum', ['-c', 'SHA256SUMS'], { cwd: at('whole') });
    assert.match(told, /^Orders\/00000\.jsonl: OK$/m);
    assert.match(told, /^manifest\.json: OK$/m);
    await ends(0, ['verify', 'whole', '--against', address()]);
    await ends(0, ['diff', '--from', 'whole', '--to', 'whole', '--all']);
    const { events } = await ends(0, ['diff', '--from', 'whole', '--table', 'Orders']);
    const { event, rows, tables, differences } = events.at(-1) ?? {};
    assert.deepEqual([event, rows, tables, differences], ['done', ROWS, 1, 0]);
  });

  test('a dump in a container is accepted by diff and stats, by its URL and by a file that holds it', async () => {
    const box = BlobServiceClient.fromConnectionString(address()).getContainerClient('dumps');
    await box.create();
    const permissions = ContainerSASPermissions.parse('rcwl');
    const url = await box.generateSasUrl({ permissions, expiresOn: new Date(Date.now() + 3_600_000) });
    const place = url.replace('?', '/whole?');
    await writeFile(at('place'), place);
    await ends(0, ['dump', '--table', 'Orders', '--out', place]);
    await ends(0, ['diff', '--from', place, '--to', '@place', '--all']);
    const { events } = await ends(0, ['diff', '--from', place, '--table', 'Orders']);
    assert.deepEqual([events.at(-1)?.rows, events.at(-1)?.differences], [ROWS, 0]);
    const [ofUrl, ofFolder] = [place, 'whole'].map(from =>
      ends(0, ['stats', '--from', from, '--all', '--json']),
    );
    assert.deepEqual((await ofUrl)?.out, (await ofFolder)?.out);
    await box.getBlockBlobClient('whole/Orders/00000.jsonl').upload('x', 1);
    await ends(1, ['diff', '--from', place, '--to', 'whole', '--all']);
    await ends(7, ['stats', '--from', '@place', '--all']);
    await box.deleteBlob('whole/SHA256SUMS');
    await ends(7, ['stats', '--from', place, '--all']);
  });

  test('what a filter and a selection left out is not a difference', async () => {
    const few = ['--filter', 'n lt 30', '--select', 'n'];
    await ends(0, ['dump', '--table', 'Orders', ...few, '--out', 'few']);
    await ends(0, ['verify', 'few', '--against', address()]);
  });

  test('each command reports an unfinished dump and a damaged one', async () => {
    await mkdir(join(at('unfinished'), '.partial'), { recursive: true });
    await cp(at('whole'), at('damaged'), { recursive: true });
    const path = join(at('damaged'), 'Orders', '00000.jsonl');
    await writeFile(path, (await readFile(path, 'utf8')).replace('"n":7}', '"n":8}'));
    for (const directory of ['unfinished', 'damaged']) {
      await ends(1, ['diff', '--from', directory, '--to', 'whole', '--all']);
      await ends(7, ['load', '--table', 'Orders=Never', directory]);
    }
    await ends(7, ['stats', '--from', 'damaged', '--all']);
    await ends(4, ['stats', '--table', 'Never']);
    await ends(4, ['verify', 'nowhere']);
  });

  test('standard output takes every format, and standard input every one that can be read', async () => {
    const csv = await ends(0, ['dump', '--table', 'Orders', '--out', '-', '--format', 'csv']);
    assert.match(csv.out.toString(), /^PartitionKey,RowKey,Timestamp,big,big@type,n,n@type\n/);
    const lines = await ends(0, ['dump', '--table', 'Orders', '--out', '-']);
    assert.equal(lines.out.toString().trimEnd().split('\n').length, ROWS);
    const packed = await ends(0, ['dump', '--table', 'Orders', '--out', '-', '--compress', 'gzip']);
    assert.deepEqual(gunzipSync(packed.out), lines.out);
    const parquet = await ends(0, ['dump', '--table', 'Orders', '--out', '-', '--format', 'parquet']);
    assert.equal(parquet.out.subarray(0, 4).toString() + parquet.out.subarray(-4).toString(), 'PAR1PAR1');
    const array = Buffer.from(`[${lines.out.toString().trimEnd().split('\n').join(',\r\n')}]`);
    const marked = Buffer.concat([Buffer.from('\ufeff'), lines.out]);
    // An existing row with the same content is done, and one with other content is a conflict.
    for (const input of [csv.out, packed.out, array, marked])
      await ends(0, ['load', '--table', 'Piped', '-'], { input });
    await ends(0, ['diff', '--table', 'Orders=Piped']);
  });

  test('a signature of one table is enough for its dump, its load and its comparison', async () => {
    const [read, readOther] = [await sas('Orders', 'r'), await sas('Least', 'r')];
    const add = await sas('Least', 'a');
    await ends(4, ['load', '--to', add, '--table', 'Least', 'rows.jsonl'], { to: '' });
    await writeFile(at('none.jsonl'), '');
    await ends(0, ['load', '--table', 'Least', 'none.jsonl']);
    await ends(0, ['load', '--to', add, '--table', 'Least', 'rows.jsonl'], { to: '' });
    await ends(0, ['diff', '--from', read, '--to', readOther, '--table', 'Orders=Least'], {
      from: '',
      to: '',
    });
    await writeFile(at('address'), `${read}\n`);
    await ends(0, ['dump', '--from', '@address', '--table', 'Orders', '--out', 'signed'], { from: '' });
    const manifest = JSON.parse(await readFile(join(at('signed'), 'manifest.json'), 'utf8'));
    assert.equal(manifest.tables[0].policies, null);
    await ends(3, ['dump', '--from', '@address', '--table', 'Or*', '--out', 'listed']);
    await ends(3, ['dump', '--from', '@address', '--all', '--out', 'listed']);
    await ends(3, ['load', '--to', read, '--table', 'Orders', '--mode', 'upsert', 'rows.jsonl']);
    await ends(3, ['dump', '--from', read.replace('sig=', 'sig=A'), '--table', 'Orders', '--out', 'listed']);
    assert(!(await readdir(folder)).includes('listed'));
  });

  test('rows with other content are left alone, and every other end has its code', async () => {
    await writeFile(at('other.jsonl'), lineOf(0).replace('"n":0', '"n":1') + lineOf(5000));
    const { events } = await ends(5, ['load', '--table', 'Orders', 'other.jsonl']);
    // Progress is also reported, after each second.
    const conflict = events.find(({ event }) => event === 'conflict');
    assert.deepEqual(conflict, { event: 'conflict', table: 'Orders', PartitionKey: 'p0', RowKey: '00000' });
    const { out } = await ends(1, ['diff', '--to', 'whole', '--table', 'Orders']);
    assert.deepEqual(JSON.parse(out.toString()), {
      table: 'Orders',
      PartitionKey: 'p2',
      RowKey: '05000',
      kind: 'only-from',
      properties: { big: { from: ['Int64', '5000'], to: null }, n: { from: ['Int32', 5000], to: null } },
    });
    await ends(5, ['dump', '--all', '--out', 'whole']);
    await ends(2, ['dump', '--all', '--filter', 'n eq 1', '--out', 'whole', '--resume']);
    await ends(4, ['dump', '--table', 'Nowhere', '--out', 'missing']);
    await ends(6, [
      'dump',
      '--from',
      'DefaultEndpointsProtocol=http;AccountName=a;AccountKey=AAAA;TableEndpoint=http://127.0.0.1:1/a',
      '--all',
      '--retry-for',
      '1',
      '--out',
      'missing',
    ]);
    for (const args of [['dump'], ['load'], ['diff'], ['explain']]) await ends(2, args);
  });

  test('a reader that leaves ends a dump and a comparison in a sentence', async () => {
    for (const args of ['dump --table Orders --out -', 'diff --table Orders=Least --timestamps']) {
      const command = `"${process.execPath}" "${join(process.cwd(), 'bin', 'shelfmark.js')}" ${args} | head -c 10`;
      const env = { ...process.env, SHELFMARK_FROM: address(), SHELFMARK_TO: address() };
      const { stderr } = await execute('bash', ['-c', command], { env });
      assert.deepEqual(JSON.parse(stderr.trim().split('\n').at(-1) ?? ''), {
        event: 'error',
        code: 6,
        message: 'The reader of the output has closed it.',
      });
    }
  });

  test('a full output is reported', { skip: !existsSync('/dev/full') }, async () => {
    for (const args of [
      'explain "PartitionKey eq \'p\'"',
      'sas --table Orders --permissions r --expires 1h',
    ]) {
      const command = `"${process.execPath}" "${join(process.cwd(), 'bin', 'shelfmark.js')}" ${args} > /dev/full`;
      const env = { ...process.env, SHELFMARK_FROM: address() };
      await assert.rejects(execute('bash', ['-c', command], { env }), {
        code: 6,
        stderr: '{"event":"error","code":6,"message":"ENOSPC: no space left on device, write."}\n',
      });
    }
  });

  test('neither an address in the wrong place nor anything else reveals a secret', async () => {
    const key = /AccountKey=([^;]+)/.exec(address())?.[1] ?? '';
    const signature = await sas('Orders', 'r');
    await ends(4, ['load', '--table', 'Orders', address()]);
    await ends(2, ['load', '--table', 'Orders', signature]);
    for (const text of [address(), signature]) {
      await ends(2, ['dump', '--table', text, '--out', 'x']);
      await ends(2, ['dump', '--all', '--since', text, '--out', 'x']);
    }
    for (const { out, told } of ran) {
      assert(!told.includes(key) && !/sig=[^…]/.test(told), told);
      assert(!out.includes(key));
    }
    for (const name of await readdir(folder, { recursive: true }))
      if (/\.(?:json|journal|jsonl)$/.test(name))
        assert(!(await readFile(at(name), 'utf8')).includes(key), name);
  });

  test('help has examples, and warns of arguments', async () => {
    for (const command of ['dump', 'copy', 'verify']) {
      const { code, out } = await run([command, '--help']);
      assert.equal(code, 0);
      assert.match(out.toString(), new RegExp(`Examples:\\n  shelfmark ${command} `));
      assert.match(out.toString(), /can see\narguments in `ps`/);
    }
  });
});
