// A process that writes lines, for which its test waits; it ends with the test.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

export class LineProcess {
  readonly lines: string[] = [];
  /** Fulfilled when all its lines are there. */
  readonly ended: Promise<unknown>;
  readonly #child: ChildProcess;
  readonly #output: NodeJS.EventEmitter;

  /** `script` is a file of this folder. */
  constructor(t: TestContext, script: string, args: readonly (string | number)[]) {
    const path = fileURLToPath(new URL(script, import.meta.url));
    const child = spawn(process.execPath, [path, ...args.map(String)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    this.#child = child;
    this.ended = once(child, 'close');
    this.#output = createInterface({ input: child.stdout }).on('line', line => this.lines.push(line));
  }

  /** Fulfilled after this many more lines, or when the process ends. */
  async more(count: number): Promise<void> {
    const wanted = this.lines.length + count;
    let isOver = false;
    const ended = this.ended.then(() => {
      isOver = true;
    });
    while (this.lines.length < wanted && !isOver) await Promise.race([once(this.#output, 'line'), ended]);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}
