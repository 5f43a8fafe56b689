// External programs, run to their end against a server. Nothing here knows what they do.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { runToEnd, type SpawnedServer, type Spawning, spawnServer } from '../support/spawned-server.js';
import { WELL_KNOWN } from '../support/worker-processes.js';

const RUN_MILLISECONDS_MAX = 180_000;

/** The emulator's account, which every one of these programs accepts. */
export const { name: ACCOUNT, key: KEY } = WELL_KNOWN;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  /** Standard output and standard error. */
  readonly printed: string;
}

/** 180 s unless given; `env` adds to this process's. */
type Running = Pick<Spawning, 'env' | 'cwd' | 'killedAfterMilliseconds' | 'uid'>;

/** Runs the program to its end, whatever its exit code is; kills it if it hangs. */
export async function finish(
  program: string,
  args: readonly string[],
  running: Running = {},
): Promise<Finished> {
  const { code, stdout, stderr } = await runToEnd(args, {
    killedAfterMilliseconds: RUN_MILLISECONDS_MAX,
    ...running,
    env: { ...process.env, ...running.env },
    command: [program],
  });
  return { code, stdout, printed: stdout + stderr };
}

/** The same for a program that must succeed; returns its standard output. */
export async function run(program: string, args: readonly string[], running: Running = {}): Promise<string> {
  const { code, stdout, printed } = await finish(program, args, running);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${printed}`);
  return stdout;
}

export const isInstalled = (program: string): boolean =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

/** Removed after the test. */
export function newDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-program-'));
  t.after(() => rmSync(directory, { recursive: true, maxRetries: 5 }));
  return directory;
}

/** A server with all services on free ports, which ends with the test, and its blob endpoint. */
export async function startServer(
  t: TestContext,
  directory: string,
  ...options: readonly string[]
): Promise<{ readonly server: SpawnedServer; readonly blobs: string }> {
  const ports = ['--table-port', '0', '--queue-port', '0', '--blob-port', '0'];
  const server = await spawnServer(['serve', '--data', join(directory, 'data'), ...ports, ...options]);
  t.after(() => server.stop('SIGKILL'));
  const [, blobs] = /;BlobEndpoint=([^;]+)/.exec(server.connectionString) ?? [];
  if (blobs === undefined) throw new Error(`There are no blobs: ${server.connectionString}`);
  return { server, blobs };
}
