// A second process, in which a test runs its functions: their text is sent, so they use nothing but their arguments.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { runInThisContext } from 'node:vm';
import type { ContentPin, Engine, Space } from '#store';
import { openRoot } from '../environment.js';
import { type LmdbStoreOptions, openLmdbStore } from '../lmdb-store.js';
import { openSpace } from './fixture.js';
import { decodeNames, encodeNames } from './named-contents.js';

/** What a function gets in the process, besides the test's arguments. */
export interface Scope {
  /** The store that `OtherProcess.open` opened, and its space. */
  store: Engine;
  space: Space;
  readonly pins: ContentPin[];
  /** Set by one function to end another. */
  isOver: boolean;
  /** Left by one function for another. */
  hold?: () => void;
  readonly modules: {
    readonly openLmdbStore: typeof openLmdbStore;
    readonly openSpace: typeof openSpace;
    readonly openRoot: typeof openRoot;
    readonly encodeNames: typeof encodeNames;
    readonly decodeNames: typeof decodeNames;
  };
  /** Adds a line to those of the process, at once: it may stand still or die afterwards. */
  say(line: string | number): void;
}

type Task<A extends readonly unknown[], R> = (scope: Scope, ...args: A) => R | Promise<R>;

interface Order {
  readonly id: number;
  readonly text: string;
  readonly args: readonly unknown[];
}

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly failure?: string;
}

const SCRIPT = fileURLToPath(import.meta.url);

export class OtherProcess {
  readonly lines: string[] = [];
  /** Fulfilled with exit code and signal when the process has ended and all its lines are there. */
  readonly ended: Promise<readonly unknown[]>;
  readonly #child: ChildProcess;
  readonly #output: Interface;
  readonly #pending = new Map<number, (answer: Answer) => void>();
  #tasks = 0;

  /** `limits` is a shell's command, such as `ulimit -f 100`. It ends with the test. */
  constructor(t: TestContext, limits = 'true') {
    const node = [process.execPath, SCRIPT, 'serve'];
    const child = spawn('sh', ['-c', `${limits} && exec "$@"`, 'sh', ...node], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    t.after(() => child.kill('SIGKILL'));
    this.#child = child;
    this.ended = once(child, 'close');
    if (child.stdout === null) throw new Error('There is no pipe.');
    this.#output = createInterface({ input: child.stdout }).on('line', line => this.lines.push(line));
    child.on('message', (answer: Answer) => this.#settle(answer));
    child.on('exit', (code, signal) => {
      const failure = `The process ended with ${signal ?? code}.`;
      for (const id of this.#pending.keys()) this.#settle({ id, failure });
    });
  }

  /** With the store of a directory open. */
  static async open(t: TestContext, options: LmdbStoreOptions, limits?: string): Promise<OtherProcess> {
    const other = new OtherProcess(t, limits);
    const openStore: Task<[LmdbStoreOptions], void> = async (scope, given) => {
      scope.store = await scope.modules.openLmdbStore(given);
      scope.space = await scope.modules.openSpace(scope.store);
    };
    await other.run(openStore, options);
    return other;
  }

  /** Fulfilled with the function's result; rejects if the function does, or if the process ends before. */
  run<A extends readonly unknown[], R>(task: Task<A, R>, ...args: A): Promise<R> {
    this.#tasks += 1;
    const order: Order = { id: this.#tasks, text: task.toString(), args };
    const answered = new Promise<R>((fulfil, reject) => {
      this.#pending.set(order.id, ({ result, failure }) => {
        if (failure === undefined) fulfil(result as R);
        else reject(new Error(failure));
      });
    });
    // Of a process that is to be killed no one waits for the answer.
    answered.catch(() => undefined);
    this.#child.send(order);
    return answered;
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

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  #settle(answer: Answer): void {
    this.#pending.get(answer.id)?.(answer);
    this.#pending.delete(answer.id);
  }
}

function serve(): void {
  const scope = {
    pins: [],
    isOver: false,
    modules: { openLmdbStore, openSpace, openRoot, encodeNames, decodeNames },
    say: (line: string | number) => void writeSync(1, `${line}\n`),
  };
  process.on('message', async ({ id, text, args }: Order) => {
    try {
      process.send?.({ id, result: await runInThisContext(`(${text})`)(scope, ...args) });
    } catch (error) {
      process.send?.({ id, failure: inspect(error) });
    }
  });
  process.once('disconnect', () => process.exit());
}

if (process.argv[2] === 'serve') serve();
