// One command of the gate or of a suite: runs to its end with its output in a file, and is timed, and counted by its last line.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether a failed step is repeated as a whole. run-tests.ts repeats test files. */
  readonly isRepeated: boolean;
}

export interface Outcome {
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
  /** Tests that passed only at the second attempt. */
  readonly unsteady: number;
}

/** Test files, by parts of their paths. */
export const tests = (name: string, paths: readonly string[], env: Step['env'] = {}): Step => ({
  name,
  command: ['node', 'dist/tools/run-tests.js', ...paths],
  env,
  isRepeated: false,
});

/** The same including what runs only with SHELFMARK_LONG. */
export const longTests = (name: string, paths: readonly string[], env: Step['env'] = {}): Step =>
  tests(name, paths, { SHELFMARK_LONG: '1', SHELFMARK_TEST_TIMEOUT: '1800000', ...env });

/** A program that exits with 0 on success. */
export const program = (
  name: string,
  file: string,
  args: readonly string[] = [],
  env: Step['env'] = {},
): Step => ({
  name,
  command: ['node', `dist/${file}`, ...args],
  env,
  isRepeated: true,
});

const running = new Set<ChildProcess>();

/** The process and all its descendants, from `ps`. */
function treeOf(root: number): readonly number[] {
  const { stdout = '' } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const rows = (stdout ?? '')
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number));
  const found = new Set([root]);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const [pid = 0, parent = 0] of rows) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

/** Ends every running command, with all its descendants. */
export function endAll(): void {
  for (const pid of [...running].flatMap(child => (child.pid === undefined ? [] : treeOf(child.pid)))) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  }
}

interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Appends the command's output to the file, and shows it if `isShown`. */
function perform({ command, env }: Step, file: string, isShown: boolean): Promise<Ended> {
  const [name, ...args] = command;
  return new Promise((done, fail) => {
    const child = spawn(name, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    const log = createWriteStream(file, { flags: 'a' });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        log.write(chunk);
        if (isShown) process.stdout.write(chunk);
      });
    child.once('error', fail);
    child.once('close', (code, signal) => {
      running.delete(child);
      if (signal !== null) log.write(`Ended by ${signal}.\n`);
      log.end(() => done({ code: code ?? 1, output: readFileSync(file, 'utf8') }));
    });
  });
}

const CLOSING = /(?:^|: )(\d+) passed, (\d+) failed(?:, \d+ skipped)?$/gm;

/** The counts in the output of a command that ended with `code`; without any it counts as one test. */
function countsOf({ code, output }: Ended): Pick<Outcome, 'passed' | 'failed' | 'unsteady'> {
  const [, passed, failed] = [...output.matchAll(CLOSING)].at(-1) ?? [];
  const unsteady = Number(/^Unsteady, .*: (\d+)$/m.exec(output)?.[1] ?? 0);
  if (passed === undefined) return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, unsteady };
  // An error exit without counted failures means a failure after the count.
  return { passed: Number(passed), failed: code === 0 ? 0 : Math.max(1, Number(failed)), unsteady };
}

/** Runs the step, once more if it is repeatable and fails. The file has the output of both. */
export async function runStep(step: Step, file: string, isShown: boolean): Promise<Outcome> {
  const start = performance.now();
  const first = countsOf(await perform(step, file, isShown));
  const again =
    first.failed > 0 && step.isRepeated ? countsOf(await perform(step, file, isShown)) : undefined;
  const seconds = (performance.now() - start) / 1_000;
  if (again === undefined) return { seconds, ...first };
  return { seconds, ...again, unsteady: again.failed === 0 ? first.failed : 0 };
}
