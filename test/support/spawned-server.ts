// The command in a child process: started, awaited, signalled, and always ended.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository: compiled tests are two folders below it. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SHELFMARK = [process.execPath, join(ROOT, 'bin', 'shelfmark.js')] as const;
/** Only ends tests that would hang. */
const READY_MILLISECONDS_MAX = 120_000;
const READY_STEP_MILLISECONDS = 100;

export interface Exit {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface SpawnedServer {
  /** The id of the started process; workers are its descendants. */
  readonly pid: number;
  readonly readyLine: string;
  readonly readyMilliseconds: number;
  readonly endpoint: string;
  readonly port: number;
  /** As in the ready line. */
  readonly place: string;
  readonly connectionString: string;
  /** The standard error of the process so far. */
  stderr(): string;
  /** Sends the signal at once; resolves when the process is gone. */
  stop(signal: NodeJS.Signals): Promise<Exit>;
}

export interface Spawning {
  /** The process leads a group of its own, for signals. */
  readonly detached?: boolean;
  /** Another user, if permitted. */
  readonly uid?: number;
  /** Default: the current Node.js, and the repository's bin/shelfmark.js. */
  readonly command?: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Kills it this long after its start, with its group if it leads one. */
  readonly killedAfterMilliseconds?: number;
  /** Fails if it does not report in that time that it is ready; default 120 s. */
  readonly readyWithinMilliseconds?: number;
}

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

class Spawned {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly exited: Promise<Exit>;

  constructor(
    args: readonly string[],
    {
      command = SHELFMARK,
      cwd = ROOT,
      env = process.env,
      detached = false,
      killedAfterMilliseconds,
      uid,
    }: Spawning,
  ) {
    const [program, ...first] = command;
    this.child = spawn(program, [...first, ...args], {
      cwd,
      env,
      detached,
      ...(uid !== undefined && { uid }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.add(this.child);
    this.child.stdout?.on('data', chunk => {
      this.stdout += String(chunk);
    });
    this.child.stderr?.on('data', chunk => {
      this.stderr += String(chunk);
    });
    const timer =
      killedAfterMilliseconds === undefined
        ? undefined
        : setTimeout(() => this.#kill(detached), killedAfterMilliseconds);
    this.exited = once(this.child, 'close').then(([code]) => {
      clearTimeout(timer);
      children.delete(this.child);
      return { code: typeof code === 'number' ? code : null, stdout: this.stdout, stderr: this.stderr };
    });
  }

  #kill(withGroup: boolean): void {
    const { pid } = this.child;
    if (!withGroup || pid === undefined) return void this.child.kill('SIGKILL');
    try {
      process.kill(-pid, 'SIGKILL');
    } catch (error) {
      // The whole group may have ended just before.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

/** Runs the command to its end. */
export const runToEnd = (args: readonly string[], spawning: Spawning = {}): Promise<Exit> =>
  new Spawned(args, spawning).exited;

const READY =
  /^Shelfmark serves tables at (?<endpoint>https?:\/\/\S+:(?<port>\d+)\/\w+); (?<place>data in [^;]+);(?: [^;]+;)* connection string: (?<connectionString>.+)\n$/;

function readyLine(spawned: Spawned, within: number): Promise<string> {
  return new Promise((resolve, reject) => {
    // In small steps: no time passes while this process is stopped or the machine sleeps.
    let left = within / READY_STEP_MILLISECONDS;
    const timer = setInterval(() => {
      left -= 1;
      if (left > 0) return;
      settle();
      reject(new Error(`No ready line: ${spawned.stdout}${spawned.stderr}`));
    }, READY_STEP_MILLISECONDS);
    const settle = (): void => clearInterval(timer);
    spawned.child.stdout?.on('data', () => {
      if (!spawned.stdout.endsWith('\n')) return;
      settle();
      resolve(spawned.stdout);
    });
    spawned.exited.then(({ code, stderr }) => {
      settle();
      reject(new Error(`The server ended with ${code}: ${stderr}`));
    }, reject);
  });
}

/** Starts a server and waits until it reports that it is ready. It is killed with this process at the latest. */
export async function spawnServer(args: readonly string[], spawning: Spawning = {}): Promise<SpawnedServer> {
  const started = performance.now();
  const spawned = new Spawned(args, spawning);
  const within = spawning.readyWithinMilliseconds ?? READY_MILLISECONDS_MAX;
  const line = await readyLine(spawned, within).catch((error: unknown) => {
    // A late one would keep this process from exiting.
    spawned.child.kill('SIGKILL');
    throw error;
  });
  const readyMilliseconds = performance.now() - started;
  const { endpoint, port, place, connectionString } = READY.exec(line)?.groups ?? {};
  const { pid } = spawned.child;
  if (!pid || !endpoint || !port || !place || !connectionString) throw new Error(`Not a ready line: ${line}`);
  return {
    pid,
    readyLine: line,
    readyMilliseconds,
    endpoint,
    port: Number(port),
    place,
    connectionString,
    stderr: () => spawned.stderr,
    stop: signal => {
      spawned.child.kill(signal);
      return spawned.exited;
    },
  };
}

/** The memory of the process now, or at its peak (proc(5)). */
export function residentBytes({ pid }: SpawnedServer, which: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${which}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024;
}

/** As in the connection string. */
export const queuePortOf = (server: SpawnedServer): number => portOf(server, 'Queue');
export const blobPortOf = (server: SpawnedServer): number => portOf(server, 'Blob');

function portOf({ connectionString }: SpawnedServer, service: 'Queue' | 'Blob'): number {
  const [, port] = new RegExp(`;${service}Endpoint=https?://[^;]+:(\\d+)/`).exec(connectionString) ?? [];
  if (port === undefined) throw new Error(`There is no ${service}Endpoint: ${connectionString}`);
  return Number(port);
}
