// Measures the embedded engine's contents alone against the same bytes through node:fs, and against rows of the engine:
// durable uploads of large and small ones, and downloads by node:http. Prints the table of docs/performance.md: MiB a
// second, medians of interleaved runs.
//
//   npm run --silent build && node dist/bench/contents/main.js [--runs 5] [--place DIR] [--mebibytes 256] [--only
//   upload,small,rows,download]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { downloads } from './downloads.js';
import { KIBIBYTE, MEBIBYTE, type Rival, uploads } from './uploads.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    place: { type: 'string', default: tmpdir() },
    mebibytes: { type: 'string', default: '256' },
    only: { type: 'string', default: 'upload,small,rows,download' },
  },
});

interface Cell {
  readonly name: string;
  readonly bytes: number;
  readonly rivals: readonly Rival[];
}

const total = Number(values.mebibytes) * MEBIBYTE;
const only = new Set(values.only.split(','));

async function plan(directory: string): Promise<Cell[]> {
  const cells: Cell[] = [];
  const upload = async (kind: string, name: string, size: number, count: number, parallel: number) => {
    if (!only.has(kind)) return;
    const rivals = await uploads({ directory, size, count, parallel, withRows: kind === 'rows' });
    cells.push({ name, bytes: size * count, rivals });
  };
  await upload('upload', 'upload, one at once', total / 2, 2, 1);
  await upload('upload', 'upload, 16 at once', total / 16, 16, 16);
  await upload('upload', 'upload of 4 MiB, 8 at once', 4 * MEBIBYTE, total / 4 / MEBIBYTE, 8);
  await upload('small', 'upload of 32 KiB, 16 at once', 32 * KIBIBYTE, 1000, 16);
  await upload('small', 'upload of 32 KiB, one at once', 32 * KIBIBYTE, 200, 1);
  for (const kibibytes of [4, 16, 64, 256, 1024])
    await upload(
      'rows',
      `${kibibytes} KiB, 16 at once`,
      kibibytes * KIBIBYTE,
      4000 / Math.sqrt(kibibytes),
      16,
    );
  if (only.has('download')) {
    for (const [name, size, count, parallel] of [
      ['download, one at once', total, 1, 1],
      ['download, 8 at once', total / 8, 8, 8],
      ['download of 64 KiB, 8 at once', 64 * KIBIBYTE, 2000, 8],
    ] as const)
      cells.push({
        name,
        bytes: size * count,
        rivals: await downloads({ directory, size, count, parallel }),
      });
  }
  return cells;
}

const median = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? Number.NaN;

const directory = mkdtempSync(join(values.place, 'contents-'));
try {
  console.log('| what | by | MiB/s | CPU ms a MiB | of node:fs |');
  console.log('|---|---|---|---|---|');
  for (const { name, bytes, rivals } of await plan(directory)) {
    const figures = rivals.map(() => ({ rates: [] as number[], cpu: [] as number[] }));
    for (let run = 0; run <= Number(values.runs); run += 1) {
      for (const [index, rival] of rivals.entries()) {
        await rival.prepare?.();
        const [start, cpu] = [performance.now(), process.cpuUsage()];
        await rival.run();
        const { user, system } = process.cpuUsage(cpu);
        const mebibytes = bytes / MEBIBYTE;
        // The first run warms up.
        if (run === 0) continue;
        figures[index]?.rates.push((mebibytes / (performance.now() - start)) * 1000);
        figures[index]?.cpu.push((user + system) / 1000 / mebibytes);
      }
    }
    const base = median(figures[0]?.rates ?? []);
    for (const [index, { by, close }] of rivals.entries()) {
      const rate = median(figures[index]?.rates ?? []);
      const cpu = median(figures[index]?.cpu ?? []);
      console.log(
        `| ${name} | ${by} | ${rate.toFixed(1)} | ${cpu.toFixed(2)} | ${(rate / base).toFixed(2)} |`,
      );
      await close?.();
    }
  }
} finally {
  rmSync(directory, { recursive: true });
}
