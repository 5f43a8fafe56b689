// Programs of others, run to their end against a server. Nothing here knows what they do.
import { spawn, spawnSync } from 'node:child_process';
import { type SpawnedServer, spawnServer } from '../support/spawned-server.js';

const RUN_MILLISECONDS_MAX = 180_000;

export const ACCOUNT = 'devstoreaccount1';
/** The emulator's well-known key, which every one of these programs accepts. */
export const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  /** Of standard error as well. */
  readonly printed: string;
}

export interface Running {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** 180 s unless given. */
  readonly killedAfterMilliseconds?: number;
  /** Another user, where this one is root. */
  readonly uid?: number;
}

/** Runs the program to its end, whatever its exit code is; it is killed if it hangs. */
export function finish(
  program: string,
  args: readonly string[],
  { env, cwd, uid, killedAfterMilliseconds = RUN_MILLISECONDS_MAX }: Running = {},
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      ...(uid !== undefined && { uid }),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: killedAfterMilliseconds,
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
export async function startServer(
  directory: string,
  ...options: readonly string[]
): Promise<{ readonly server: SpawnedServer; readonly blobs: string }> {
  const ports = ['--table-port', '0', '--queue-port', '0', '--blob-port', '0'];
  const server = await spawnServer(['serve', '--data', directory, ...ports, ...options]);
  const [, blobs] = /;BlobEndpoint=([^;]+)/.exec(server.connectionString) ?? [];
  if (blobs === undefined) throw new Error(`There are no blobs: ${server.connectionString}`);
  return { server, blobs };
}
