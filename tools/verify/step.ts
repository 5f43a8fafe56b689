// Commands of the gate and of the suites: each runs to its end with its output in a file, is timed, and counted by its last line.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  /** Whether a failed step is repeated even if it ran alone. run-tests.ts repeats test files. */
  readonly isRepeated: boolean;
}

/** The outcome of a step, of both its attempts. */
export interface Row {
  readonly name: string;
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
  /** Tests that passed only at the second attempt. */
  readonly unsteady: number;
  /** With the output. */
  readonly file: string;
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

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

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

/** Runs the command, appends its output to the file, and shows it if `isShown`. */
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
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        log.write(chunk);
        if (isShown) process.stdout.write(chunk);
      });
    child.once('error', fail);
    child.once('close', (code, signal) => {
      running.delete(child);
      if (signal !== null) log.write(`Ended by ${signal}.\n`);
      log.end(() => done({ code: code ?? 1, output: Buffer.concat(chunks).toString() }));
    });
  });
}

const CLOSING = /(?:^|: )(\d+) passed, (\d+) failed(?:, \d+ skipped)?$/gm;

/** The counts in the output of a command that ended with `code`; without any it counts as one test. */
function countsOf({ code, output }: Ended): Pick<Row, 'passed' | 'failed' | 'unsteady'> {
  const [, passed, failed] = [...output.matchAll(CLOSING)].at(-1) ?? [];
  const unsteady = Number(/^Unsteady, .*: (\d+)$/m.exec(output)?.[1] ?? 0);
  if (passed === undefined) return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, unsteady };
  // An error exit without counted failures means a failure after the count.
  return { passed: Number(passed), failed: code === 0 ? 0 : Math.max(1, Number(failed)), unsteady };
}

interface Stage {
  readonly steps: readonly Step[];
  /** At a time. */
  readonly width: number;
  /** Whether the output is printed: at once, or at the end of a step that runs with another, so that theirs do not mix. */
  readonly isShown: boolean;
  /** For the output's files. */
  readonly directory: string;
}

/** Runs a stage's steps in their order, and then those that failed once more, when nothing else runs. */
export async function runStage({ steps, width, isShown, directory }: Stage): Promise<readonly Row[]> {
  const rows = new Map<Step, Row>();
  const attempt = async (step: Step, isAlone: boolean): Promise<void> => {
    const first = rows.get(step);
    const title = `${step.name}${first === undefined ? '' : ', once more'}`;
    const file = join(directory, `${step.name.replaceAll('/', '-')}.log`);
    if (isAlone) say(`== ${title}`);
    const start = performance.now();
    const ended = await perform(step, file, isShown && isAlone);
    const seconds = (performance.now() - start) / 1_000;
    if (!isAlone) say(`== ${title}${isShown ? `\n${ended.output.trimEnd()}` : ''}`);
    const counts = countsOf(ended);
    say(`-- ${counts.failed === 0 ? 'passed' : 'FAILED'} in ${seconds.toFixed(1)} s`);
    const unsteady = counts.unsteady + (counts.failed === 0 ? (first?.failed ?? 0) : 0);
    rows.set(step, { ...counts, name: step.name, unsteady, seconds: seconds + (first?.seconds ?? 0), file });
  };
  const waiting = [...steps];
  const lane = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift())
      await attempt(step, width === 1);
  };
  await Promise.all(Array.from({ length: width }, lane));
  for (const step of steps)
    if (rows.get(step)?.failed !== 0 && (width > 1 || step.isRepeated)) await attempt(step, true);
  return steps.flatMap(step => rows.get(step) ?? []);
}

/** Prints the table, with the files of what failed if they are kept, and the time since `began`. @returns the exit code. */
export function report(rows: readonly Row[], began: number, areFilesKept: boolean): number {
  say('\nseconds  failed  unsteady  step');
  for (const { name, seconds, failed, unsteady, file } of rows) {
    const cells = [seconds.toFixed(1).padStart(7), String(failed).padStart(7), String(unsteady).padStart(9)];
    say(`${cells.join(' ')}  ${name}${areFilesKept && failed + unsteady > 0 ? `  ${file}` : ''}`);
  }
  const total = (key: 'passed' | 'failed'): number => rows.reduce((sum, row) => sum + row[key], 0);
  say(`${((performance.now() - began) / 1_000).toFixed(0)} s in all`);
  say(`${total('passed')} passed, ${total('failed')} failed`);
  return total('failed') === 0 ? 0 : 1;
}
