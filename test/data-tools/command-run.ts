// Runs the command in a process of its own, as a user does, and returns exit code, standard output and events.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../support/spawned-server.js';

export interface Ended {
  readonly code: number | null;
  readonly out: Buffer;
  readonly events: readonly Readonly<Record<string, unknown>>[];
  /** Raw standard error. */
  readonly told: string;
}

export interface CommandOptions {
  /** Addresses in the environment. */
  readonly from?: string;
  readonly to?: string;
  readonly cwd?: string;
  /** For standard input. */
  readonly input?: string | Buffer;
}

const eventsIn = (told: string): Ended['events'] =>
  told
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Readonly<Record<string, unknown>>);

export async function runCommand(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const { SHELFMARK_FROM: _, SHELFMARK_TO: __, ...inherited } = process.env;
  const env = {
    ...inherited,
    ...(options.from !== undefined && { SHELFMARK_FROM: options.from }),
    ...(options.to !== undefined && { SHELFMARK_TO: options.to }),
  };
  const child = spawn(process.execPath, [join(ROOT, 'bin', 'shelfmark.js'), ...args], {
    env,
    cwd: options.cwd ?? ROOT,
    stdio: 'pipe',
  });
  const out: Buffer[] = [];
  const told: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => out.push(piece));
  child.stderr.on('data', (piece: Buffer) => told.push(piece));
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  const text = Buffer.concat(told).toString();
  return { code, out: Buffer.concat(out), events: eventsIn(text), told: text };
}
