// Measures the data tools against a script of thirty lines in the same run (script.ts): rows a second of dump, load and
// copy, and the peak memory of each process. Programs of their own, in rotation, on a server in a process of its own.
// `npm run bench:data-tools -- [rows] [bytes of a row] [partitions] [runs]`
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from '../../packages/server/index.js';
import { spawnServer } from '../../test/support/spawned-server.js';

const [rows = 100_000, bytes = 300, partitions = 10, runs = 3] = process.argv.slice(2).map(Number);
const COMMAND = fileURLToPath(new URL('../../../bin/shelfmark.js', import.meta.url));
const SCRIPT = fileURLToPath(new URL('script.js', import.meta.url));
/** Goals, relative to the script's speed; a copy is compared with the script's load. */
const GOALS: Readonly<Record<string, number>> = { dump: 0.5, load: 0.8, copy: 0.6 };
const MEBIBYTE = 1_048_576;
const STRING_UNITS_MAX = 30_000;
const POLL_MILLISECONDS = 20;

interface Ran {
  readonly seconds: number;
  /** Peak resident memory. */
  readonly mebibytes: number;
}

/** The high-water mark of a running process; 0 when it is gone. */
function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

async function run(args: readonly string[], cwd: string): Promise<Ran> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let text = '';
  child.stderr.on('data', chunk => {
    text = (text + String(chunk)).slice(-2000);
  });
  let mebibytes = 0;
  const timer = setInterval(() => {
    mebibytes = Math.max(mebibytes, peakOf(child.pid ?? 0));
  }, POLL_MILLISECONDS);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  if (code !== 0) throw new Error(`${args.slice(0, 3).join(' ')} ended with ${code}: ${text}`);
  return { seconds: (performance.now() - started) / 1000, mebibytes };
}

/** Rows as a table of orders has them, in lines. */
async function writeRows(path: string): Promise<void> {
  const out = createWriteStream(path);
  const inEach = Math.ceil(rows / partitions);
  const fillers = Math.max(1, Math.ceil((bytes - 200) / STRING_UNITS_MAX));
  const filler = 'x'.repeat(Math.max(0, Math.floor((bytes - 200) / fillers)));
  for (let i = 0; i < rows; i++) {
    const texts = Array.from({ length: fillers }, (_, f) => `,"text${f}":"${filler}"`).join('');
    const [p, r] = [String(Math.floor(i / inEach)).padStart(6, '0'), String(i % inEach).padStart(8, '0')];
    const line = `{"PartitionKey":"p${p}","RowKey":"r${r}","count@odata.type":"Edm.Int64","count":"${i * 7919}","open":${i % 2 === 0},"price@odata.type":"Edm.Double","price":${i}.25${texts},"when@odata.type":"Edm.DateTime","when":"2026-01-02T03:04:05.1234567Z"}\n`;
    if (!out.write(line)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
}

const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0;

function tell(name: string, script: readonly Ran[], ours: readonly Ran[]): void {
  const [theirs, own] = [
    median(script.map(({ seconds }) => seconds)),
    median(ours.map(({ seconds }) => seconds)),
  ];
  const peak = Math.max(...ours.map(({ mebibytes }) => mebibytes));
  const share = theirs / own;
  const goal = GOALS[name] ?? 0;
  process.stdout.write(
    `${name.padEnd(5)} script ${Math.round(rows / theirs)} rows/s, shelfmark ${Math.round(rows / own)} rows/s: ${share.toFixed(2)} (goal ${goal}${share < goal ? ', MISSED' : ''}); at most ${Math.round(peak)} MiB\n`,
  );
}

const directory = mkdtempSync(join(tmpdir(), 'shelfmark-bench-tools-'));
const ports = ['--table-port', '0', '--queue-port', '0', '--blob-port', '0'];
const server = await spawnServer(['serve', '--data', join(directory, 'data'), ...ports]);
try {
  const account = [server.endpoint, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY];
  const lines = join(directory, 'rows.jsonl');
  await writeRows(lines);
  const results: Record<string, [Ran[], Ran[]]> = { dump: [[], []], load: [[], []], copy: [[], []] };
  const add = (name: string, place: 0 | 1, ran: Ran): void => void results[name]?.[place].push(ran);
  for (let turn = 0; turn < runs; turn++) {
    const [theirs, own, copied] = [`script${turn}`, `tools${turn}`, `copied${turn}`];
    const scripted = await run([SCRIPT, 'load', ...account, theirs, lines], directory);
    add('load', 0, scripted);
    add('copy', 0, scripted);
    add(
      'load',
      1,
      await run([COMMAND, 'load', '--to', server.connectionString, '--table', own, lines], directory),
    );
    add('dump', 0, await run([SCRIPT, 'dump', ...account, own, join(directory, 'script.jsonl')], directory));
    add(
      'dump',
      1,
      await run(
        [COMMAND, 'dump', '--from', server.connectionString, '--table', own, '--out', join(directory, own)],
        directory,
      ),
    );
    const both = ['--from', server.connectionString, '--to', server.connectionString];
    add('copy', 1, await run([COMMAND, 'copy', ...both, '--table', `${own}=${copied}`], directory));
  }
  process.stdout.write(
    `${rows} rows of ${bytes} bytes in ${partitions} partitions, medians of ${runs}; ${Math.round((rows * bytes) / MEBIBYTE)} MiB\n`,
  );
  for (const [name, [script, ours]] of Object.entries(results)) tell(name, script, ours);
} finally {
  await server.stop('SIGTERM');
  rmSync(directory, { recursive: true, force: true });
}
