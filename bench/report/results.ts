// The record of an invocation: one line of JSON in bench/report/results.jsonl, with what is needed to read it later.
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { wrkVersion } from '../load/wrk.js';
import { RESULTS, ROOT } from '../places.js';
import { azuriteVersion } from '../subjects/azurite.js';

function decodeVersion(path: string): string {
  const { version } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version?: unknown };
  return String(version);
}

/** The package does not export its manifest. */
function lmdbVersion(): string {
  const main = createRequire(import.meta.url).resolve('lmdb');
  const folder = main.slice(0, main.lastIndexOf(join('node_modules', 'lmdb')));
  return decodeVersion(join(folder, 'node_modules', 'lmdb', 'package.json'));
}

/** With a mark if files differ from it; undefined outside of a checkout. */
function commit(): string | undefined {
  try {
    const args = ['describe', '--always', '--dirty', '--abbrev=10'];
    return execFileSync('git', args, {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}

/** The versions of the machine and of everything that was measured. */
const circumstances = (): object => ({
  date: new Date().toISOString(),
  commit: commit(),
  node: process.version,
  platform: `${platform()} ${arch()}`,
  cpu: cpus()[0]?.model,
  cores: availableParallelism(),
  memoryBytes: totalmem(),
  versions: {
    shelfmark: decodeVersion(join(ROOT, 'package.json')),
    lmdb: lmdbVersion(),
    azurite: azuriteVersion(),
    wrk: wrkVersion(),
  },
});

export function record(result: object): void {
  appendFileSync(RESULTS, `${JSON.stringify({ ...circumstances(), ...result })}\n`);
}
