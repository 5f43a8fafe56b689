// The sentinel of one processor, a process of its own: starts it with as much priority as is permitted, collects its pauses, stops it. If it cannot
// run or dies, that is reported and nothing fails.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Span } from './span.js';

const SCRIPT = fileURLToPath(new URL('sentinel-process.js', import.meta.url));
const READY_MILLISECONDS_MAX = 10_000;
const STOP_MILLISECONDS_MAX = 2000;
/** Above everything except the system's own processes; any priority above 0 would do. */
const REAL_TIME_PRIORITY = '50';

/** The message of a sentinel to its parent. */
export interface Told {
  readonly pauses: readonly Span[];
  /** The share of a processor that it used; in the last message. */
  readonly cost?: number;
}

export type Priority = 'real-time' | 'high' | 'normal';

/** The result of a sentinel. */
export interface Watched {
  readonly isPinned: boolean;
  readonly priority: Priority;
  /** Undefined if it was lost. */
  readonly cost: number | undefined;
  /** How it ended, if it sent no last message. */
  readonly lost: string | undefined;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Whether a command that starts other programs exists and is permitted. */
function works([command = '', ...args]: readonly string[], path: string): boolean {
  return spawnSync(command, [...args, 'true'], { env: { PATH: path }, stdio: 'ignore' }).status === 0;
}

export class Sentinel {
  readonly #child: ChildProcess;
  readonly #isPinned: boolean;
  readonly #priority: Priority;
  readonly #pauses: Span[] = [];
  /** Resolves when it ended, or never started. */
  readonly ended: Promise<void>;
  #cost: number | undefined;
  #lost: string | undefined;

  private constructor(processor: number, path: string) {
    const pin = ['taskset', '--cpu-list', String(processor)];
    const urge = ['chrt', '--fifo', REAL_TIME_PRIORITY];
    this.#isPinned = works(pin, path);
    const isRealTime = works(urge, path);
    const [command = '', ...args] = [
      ...(this.#isPinned ? pin : []),
      ...(isRealTime ? urge : []),
      process.execPath,
      SCRIPT,
    ];
    const child = spawn(command, args, {
      env: { ...process.env, PATH: path },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    this.#priority = isRealTime ? 'real-time' : this.#raise();
    running.add(child);
    child.on('message', message => this.#hear(message as Told));
    this.ended = new Promise(resolve => {
      const end = (how: string): void => {
        running.delete(child);
        // Its last message has its cost.
        if (this.#cost === undefined) this.#lost ??= how;
        resolve();
      };
      child.once('close', (code, signal) => end(`ended with ${signal ?? code}`));
      // Either it could not be started, and then never closes, or a message did not reach it.
      child.on('error', error => (child.pid === undefined ? end(error.message) : undefined));
    });
  }

  /** Started on a processor and asleep. `path` is where to look for `taskset` and `chrt`. */
  static async start(processor: number, path = process.env.PATH ?? ''): Promise<Sentinel> {
    const sentinel = new Sentinel(processor, path);
    await sentinel.#within(READY_MILLISECONDS_MAX, once(sentinel.#child, 'message'));
    return sentinel;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Those reported so far; all of them once it is stopped. */
  get pauses(): readonly Span[] {
    return this.#pauses;
  }

  /** Never fails, even if it ended long ago. */
  async stop(): Promise<Watched> {
    if (this.#lost === undefined) {
      this.#child.send('stop', () => {});
      await this.#within(STOP_MILLISECONDS_MAX, this.ended);
    }
    return { isPinned: this.#isPinned, priority: this.#priority, cost: this.#cost, lost: this.#lost };
  }

  #hear({ pauses, cost }: Told): void {
    this.#pauses.push(...pauses);
    this.#cost ??= cost;
  }

  #raise(): Priority {
    const { pid } = this.#child;
    if (pid === undefined) return 'normal';
    try {
      setPriority(pid, constants.priority.PRIORITY_HIGHEST);
      return 'high';
    } catch {
      return 'normal';
    }
  }

  /** Until something happens or it ends; kills it if neither does in time. */
  async #within(milliseconds: number, happens: Promise<unknown>): Promise<void> {
    const timer = setTimeout(() => {
      this.#lost = 'did not answer';
      this.#child.kill('SIGKILL');
    }, milliseconds);
    await Promise.race([happens.catch(() => {}), this.ended]);
    clearTimeout(timer);
  }
}
