// Measures the engine's commits in its own process, without a server: commits a second, latency and processor time by
// number of writers, size of a commit and duration of a disk sync. Prints the table of docs/write-ahead-log.md. Linux,
// with gcc.
//
//   npm run --silent build && node dist/bench/wal/main.js [--path wal,group] [--build NAME=ROOT,...] [--writers
//   1,8,32,128] [--rows 1,100]
//     [--sync 0.2,2,10] [--runs 3] [--milliseconds 1500] [--place /dev/shm] [--bytes 150] [--mixed]
//
// Each cell runs in a process of its own, on a file system in memory, whose syncs are delayed (sync-delay.c). `--build`
// compares the engines of several built checkouts. Runs of one cell are interleaved with those of the others, and the
// table has their medians. `--mixed` is another load: one writer of changesets with 100 rows of 10 KB next to eight
// writers of small rows.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Cell } from './cell.js';
import type { LoadResult, Writers } from './load.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CELL = fileURLToPath(new URL('cell.js', import.meta.url));
const WARM_MILLISECONDS = 400;
const SMALL_ROW_BYTES = 150;
const MIXED: readonly Writers[] = [
  { name: 'small', count: 8, rows: 1, bytes: SMALL_ROW_BYTES },
  { name: 'large', count: 1, rows: 100, bytes: 10_000 },
];

interface Planned {
  readonly label: string;
  readonly sync: number;
  readonly cell: Cell;
  readonly results: { readonly load: LoadResult; readonly syncs: number }[];
}

const { values } = parseArgs({
  options: {
    path: { type: 'string', default: 'wal,group' },
    build: { type: 'string', default: `this=${ROOT}` },
    writers: { type: 'string', default: '1,8,32,128' },
    rows: { type: 'string', default: '1,100' },
    sync: { type: 'string', default: '0.2,2,10' },
    runs: { type: 'string', default: '3' },
    milliseconds: { type: 'string', default: '1500' },
    place: { type: 'string', default: '/dev/shm' },
    bytes: { type: 'string', default: String(SMALL_ROW_BYTES) },
    mixed: { type: 'boolean', default: false },
  },
});
const list = (text: string): string[] => text.split(',');
const numbers = (text: string): number[] => list(text).map(Number);

function loads(): (readonly Writers[])[] {
  if (values.mixed) return [MIXED];
  return numbers(values.rows).flatMap(rows =>
    numbers(values.writers).map(count => [{ name: '', count, rows, bytes: Number(values.bytes) }]),
  );
}

function plan(): Planned[] {
  const planned: Planned[] = [];
  for (const writers of loads())
    for (const sync of numbers(values.sync))
      for (const build of list(values.build))
        for (const path of list(values.path)) {
          const [name = '', root = ROOT] = build.split('=');
          const load = {
            writers,
            warmMilliseconds: WARM_MILLISECONDS,
            milliseconds: Number(values.milliseconds),
          };
          const cell = { build: root, path: path as Cell['path'], load, place: values.place };
          planned.push({ label: `${name} ${path}`, sync, cell, results: [] });
        }
  return planned;
}

function compileDelay(folder: string): string {
  const library = join(folder, 'sync-delay.so');
  const source = join(ROOT, 'bench/wal/sync-delay.c');
  execFileSync('gcc', ['-O2', '-shared', '-fPIC', '-pthread', '-o', library, source]);
  return library;
}

function run({ cell, sync, results }: Planned, folder: string, library: string): void {
  const count = join(folder, 'syncs');
  const env = {
    ...process.env,
    LD_PRELOAD: library,
    DISK_SYNC_MICROSECONDS: String(sync * 1000),
    DISK_SYNC_COUNT: count,
  };
  const output = execFileSync(process.execPath, [CELL, JSON.stringify(cell)], { env, encoding: 'utf8' });
  results.push({ load: JSON.parse(output), syncs: Number(readFileSync(count, 'utf8')) });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

function tell({ label, sync, cell, results }: Planned): void {
  const cpu = median(results.map(({ load }) => load.microsecondsPerCommit));
  cell.load.writers.forEach(({ name, count, rows }, index) => {
    const of = (pick: 'commitsPerSecond' | 'p50' | 'p99'): number =>
      median(results.map(({ load }) => load.answers[index]?.[pick] ?? Number.NaN));
    const what = name === '' ? `${count} x ${rows}` : name;
    const figures = [
      of('commitsPerSecond').toFixed(0),
      of('p50').toFixed(2),
      of('p99').toFixed(2),
      cpu.toFixed(0),
    ];
    console.log(`| ${[what, sync, label, ...figures].join(' | ')} |`);
  });
}

const folder = mkdtempSync(join(tmpdir(), 'commits-'));
try {
  const library = compileDelay(folder);
  const planned = plan();
  for (let round = 0; round < Number(values.runs); round += 1)
    for (const one of planned) run(one, folder, library);
  console.log('| writers x rows | sync ms | path | commits/s | p50 ms | p99 ms | CPU us/commit |');
  console.log('|---|---|---|---|---|---|---|');
  for (const one of planned) tell(one);
} finally {
  rmSync(folder, { recursive: true });
}
