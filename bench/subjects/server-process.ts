// A subject's process: started and awaited, paused while others are measured, stopped, and never left behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readMemory } from './process-memory.js';

/** Azurite reads all of its data before it reports that it is ready. */
const READY_MILLISECONDS_MAX = 120_000;
const STOP_MILLISECONDS_MAX = 60_000;
const OUTPUT_LENGTH_MAX = 10_000;

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

export interface Program {
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Its ready line; the groups are its ports. */
  readonly ready: RegExp;
}

export class ServerProcess {
  readonly #child: ChildProcess;
  /** In the order of its ready line. */
  readonly ports: readonly number[];
  /** From the start of the process to its ready line. */
  readonly readyMilliseconds: number;

  private constructor(child: ChildProcess, ports: readonly number[], readyMilliseconds: number) {
    this.#child = child;
    this.ports = ports;
    this.readyMilliseconds = readyMilliseconds;
  }

  /** Starts the program and waits for its ready line. Fails with its output if none comes. */
  static async start({ name, script, args, env, ready }: Program): Promise<ServerProcess> {
    const started = performance.now();
    const child = spawn(process.execPath, [script, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    let output = '';
    const match = await new Promise<RegExpExecArray | undefined>(resolve => {
      setTimeout(resolve, READY_MILLISECONDS_MAX, undefined).unref();
      const look = (chunk: unknown): void => {
        output = (output + String(chunk)).slice(-OUTPUT_LENGTH_MAX);
        const found = ready.exec(output);
        if (found !== null) resolve(found);
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      child.once('exit', () => resolve(undefined));
    });
    if (match === undefined) throw new Error(`${name} is not ready:\n${output}`);
    for (const stream of [child.stdout, child.stderr]) stream.removeAllListeners('data').resume();
    return new ServerProcess(child, match.slice(1).map(Number), performance.now() - started);
  }

  /** Bytes without the mapped data file. */
  memory(): number | undefined {
    return readMemory(this.#child.pid ?? 0);
  }

  /** Stops it by a signal, so that its own activity does not disturb the others' runs. */
  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Stops it gracefully, as an operator would; kills it if that fails. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.resume();
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MILLISECONDS_MAX);
    await once(this.#child, 'exit');
    clearTimeout(timer);
  }
}
