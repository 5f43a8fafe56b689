// External programs, run to their end against a server: their output, and their dependencies. Nothing here knows what they do.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SpawnedServer, spawnServer } from '../support/spawned-server.js';

/** Python packages for tables of data: installed once for all tests that need a part of them. */
export const DATA_PACKAGES: readonly string[] = ['deltalake==1.6.6', 'pyarrow==26.0.1', 'adlfs==2026.8.0'];

const RUN_MILLISECONDS_MAX = 180_000;
const INSTALL_MILLISECONDS_MAX = 480_000;

export const ACCOUNT = 'devstoreaccount1';
/** The emulator's well-known key, which every one of these programs accepts. */
export const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  /** Standard output and standard error. */
  readonly printed: string;
}

export interface Running {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** Runs the program to its end, whatever its exit code is; kills it if it hangs. */
export function finish(
  program: string,
  args: readonly string[],
  { env, cwd }: Running = {},
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: RUN_MILLISECONDS_MAX,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', text => {
      stdout += text;
      printed += text;
    });
    child.stderr.setEncoding('utf8').on('data', text => {
      printed += text;
    });
    child.once('error', reject);
    child.once('close', code => resolve({ code, stdout, printed }));
  });
}

/** The same for a program that must succeed; returns its standard output. */
export async function run(program: string, args: readonly string[], running: Running = {}): Promise<string> {
  const { code, stdout, printed } = await finish(program, args, running);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${printed}`);
  return stdout;
}

export const isInstalled = (program: string): boolean =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

/** A server with all services on free ports, and a blob endpoint. */
export async function startServer(directory: string): Promise<{
  readonly server: SpawnedServer;
  readonly blobs: string;
}> {
  const ports = ['--table-port', '0', '--queue-port', '0', '--blob-port', '0'];
  const server = await spawnServer(['serve', '--data', directory, ...ports]);
  const [, blobs] = /;BlobEndpoint=([^;]+)/.exec(server.connectionString) ?? [];
  if (blobs === undefined) throw new Error(`There are no blobs: ${server.connectionString}`);
  return { server, blobs };
}

/**
 * A directory of Python packages for this test alone, kept between runs: the interpreter in it, or a sentence with the
 * reason why there is none. Without the file that is written last it is created again, unless SHELFMARK_INSTALL is
 * "no".
 */
export function pythonWith(
  name: string,
  packages: readonly string[],
): { readonly python: string } | { readonly missing: string } {
  const directory = join(tmpdir(), `shelfmark-programs-${process.getuid?.() ?? 0}`, name);
  const python = join(directory, 'bin', 'python');
  const complete = join(directory, `has ${packages.join(' ')}`);
  if (existsSync(complete)) return { python };
  if (process.env.SHELFMARK_INSTALL === 'no')
    return { missing: `${packages.join(' and ')} are not installed` };
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const steps: readonly (readonly [string, ...string[]])[] = [
    ['python3', '-m', 'venv', directory],
    [python, '-m', 'pip', 'install', '--quiet', '--no-compile', '--disable-pip-version-check', ...packages],
  ];
  for (const [program, ...args] of steps) {
    const { status, error, stderr } = spawnSync(program, args, {
      encoding: 'utf8',
      timeout: INSTALL_MILLISECONDS_MAX,
    });
    if (status !== 0) {
      const reason = error?.message ?? stderr.trim().split('\n').at(-1) ?? '';
      return { missing: `${packages.join(' and ')} can't be installed here: ${reason}` };
    }
  }
  writeFileSync(complete, '');
  return { python };
}
