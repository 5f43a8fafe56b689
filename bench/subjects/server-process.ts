// A subject's process with its children: started and awaited, paused while others are measured, stopped, and never left
// behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf, type Memory, readMemory, readTicks, sumMemory } from '../machine/process-status.js';

/** Azurite reads all of its data before it reports that it is ready. */
const READY_MILLISECONDS_MAX = 120_000;
const STOP_MILLISECONDS_MAX = 60_000;
const SETTLE_MILLISECONDS_MAX = 30_000;
const LOOK_MILLISECONDS = 100;
/** Ticks of 10 ms, in the time between two looks. */
const IDLE_TICKS_MAX = 1;
const OUTPUT_LENGTH_MAX = 10_000;

/** The process and its children; none before it runs. */
const familyOf = ({ pid }: ChildProcess): readonly number[] =>
  pid === undefined ? [] : [pid, ...childrenOf(pid)];

function signalAll(child: ChildProcess, signal: NodeJS.Signals): void {
  for (const pid of familyOf(child)) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended since.
    }
  }
}

const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) signalAll(child, 'SIGKILL');
});

export interface Program {
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Its ready line; the groups are its ports, if it has any. */
  readonly ready: RegExp;
  /** For programs of the benchmark itself: whether it answers messages. */
  readonly answers?: boolean;
}

export class ServerProcess {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #output = '';
  #ports: readonly number[] = [];
  #readyMilliseconds = 0;

  private constructor({ name, script, args, env, answers = false }: Program) {
    this.#name = name;
    this.#child = spawn(process.execPath, [script, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe', ...(answers ? ['ipc' as const] : [])],
    });
    children.add(this.#child);
    this.#exited = once(this.#child, 'exit').then(() => children.delete(this.#child));
    const keep = (chunk: unknown): void => {
      this.#output = (this.#output + String(chunk)).slice(-OUTPUT_LENGTH_MAX);
    };
    this.#child.stdout?.on('data', keep);
    this.#child.stderr?.on('data', keep);
  }

  /** Starts the program and waits for its ready line. Fails with its output if none comes. */
  static async start(program: Program): Promise<ServerProcess> {
    const started = performance.now();
    const server = new ServerProcess(program);
    await server.#untilReady(program.ready);
    server.#readyMilliseconds = performance.now() - started;
    return server;
  }

  get port(): number {
    return this.#ports[0] ?? 0;
  }

  /** In the order of its ready line. */
  get ports(): readonly number[] {
    return this.#ports;
  }

  /** From the start of the process to its ready line. */
  get readyMilliseconds(): number {
    return this.#readyMilliseconds;
  }

  memory(): Memory | undefined {
    const memories = familyOf(this.#child).flatMap(pid => readMemory(pid) ?? []);
    return memories.length === 0 ? undefined : sumMemory(memories);
  }

  /** Stops it by a signal, so that its own activity does not disturb the others' runs. */
  pause(): void {
    signalAll(this.#child, 'SIGSTOP');
  }

  resume(): void {
    signalAll(this.#child, 'SIGCONT');
  }

  /** Waits until it is idle, or for half a minute: pending work must not count in the next run. */
  async settle(): Promise<void> {
    let before = this.#ticks();
    for (let waited = 0; waited < SETTLE_MILLISECONDS_MAX; waited += LOOK_MILLISECONDS) {
      await sleep(LOOK_MILLISECONDS);
      const now = this.#ticks();
      if (now - before <= IDLE_TICKS_MAX) return;
      before = now;
    }
  }

  #ticks(): number {
    return familyOf(this.#child).reduce((sum, pid) => sum + (readTicks(pid) ?? 0), 0);
  }

  /** Sends a message and returns the answer; for programs of the benchmark itself. Fails if the process ends first. */
  async ask(message: object): Promise<unknown> {
    const answer = once(this.#child, 'message');
    const ended = this.#exited.then(() => {
      throw this.#failure('ended');
    });
    this.#child.send(message);
    const [reply] = await Promise.race([answer, ended]);
    return reply;
  }

  /** Stops it gracefully, as an operator would; kills it if that fails. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.resume();
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => signalAll(this.#child, 'SIGKILL'), STOP_MILLISECONDS_MAX);
    await this.#exited;
    clearTimeout(timer);
  }

  #failure(what: string): Error {
    return new Error(`${this.#name} ${what}:\n${this.#output}`);
  }

  #untilReady(ready: RegExp): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(this.#failure('is not ready in time')), READY_MILLISECONDS_MAX);
      const look = (): void => {
        const match = ready.exec(this.#output);
        if (!match) return;
        clearTimeout(timer);
        this.#child.stdout?.off('data', look);
        this.#ports = match.slice(1).map(Number);
        resolve();
      };
      this.#child.stdout?.on('data', look);
      this.#exited.then(() => {
        clearTimeout(timer);
        reject(this.#failure('ended'));
      }, reject);
    });
  }
}
