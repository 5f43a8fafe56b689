// Runs node's test runner on every compiled test, or on those whose path contains one of the arguments. `--name
// PATTERN` runs only the tests with such a name. A file that fails is run once more, alone: tests that pass then are
// listed as unsteady, and the run stays green. Only what fails twice is red.
import { availableParallelism } from 'node:os';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { inspect, parseArgs } from 'node:util';
import { gather, importersOf, sourceOf, testFiles } from './test-files.js';

/** If more tests fail, a second attempt would only prolong a red run. */
const SECOND_ATTEMPTS_MAX = 20;
/** Length of a file's own output, shown if its process failed. */
const OUTPUT_CHARACTERS = 4_000;

interface Failure {
  readonly name: string;
  /** Compiled; not a test file where another file declares the test. */
  readonly file: string;
  readonly text: string;
}

interface Result {
  readonly passed: number;
  readonly skipped: number;
  readonly failures: readonly Failure[];
}

type Failed = {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  readonly details: { readonly error: Error & { readonly failureType?: string } };
};

/** A suite fails if one of its tests did, which is reported separately. */
const isOwn = ({ details }: Failed): boolean => details.error.failureType !== 'subtestsFailed';

const textOf = ({ name, file, line, details }: Failed, output: string): string => {
  const { cause } = details.error;
  // An assertion's message already contains both values.
  const isAssertion = (cause as { code?: unknown } | undefined)?.code === 'ERR_ASSERTION';
  const reason = isAssertion ? (cause as Error).stack : inspect(cause ?? details.error.message);
  const where =
    file === undefined ? '' : `${sourceOf(file)}${line === undefined ? '' : `, compiled line ${line}`}\n`;
  return `✖ ${name}\n${where}${reason}\n${output}`;
};

/** Runs the files, `concurrency` at a time, and prints each failure at once. */
async function runFiles(
  files: readonly string[],
  concurrency: number,
  name: string | undefined,
): Promise<Result> {
  const results = run({
    files: [...files],
    concurrency,
    // A test that hangs must fail, unless it may take long.
    timeout: Number(process.env.SHELFMARK_TEST_TIMEOUT ?? 480_000),
    ...(name !== undefined && { testNamePatterns: [name] }),
  });
  const counts = { pass: 0, skipped: 0 };
  const failures: Failure[] = [];
  const outputs = new Map<string, string>();
  const collect = ({ file = '', message }: { file?: string; message: string }): void => {
    outputs.set(file, `${outputs.get(file) ?? ''}${message}`.slice(-OUTPUT_CHARACTERS));
  };
  results.on('test:stdout', collect);
  results.on('test:stderr', collect);
  results.on('test:diagnostic', ({ message, nesting }) => {
    const [, what, number] = /^(pass|skipped) (\d+)$/.exec(message) ?? [];
    if (nesting === 0 && what !== undefined) counts[what as keyof typeof counts] = Number(number);
  });
  results.on('test:fail', (failed: Failed) => {
    if (!isOwn(failed)) return;
    const file = failed.file ?? failed.name;
    const text = textOf(failed, failed.name === file ? (outputs.get(file) ?? '') : '');
    failures.push({ name: failed.name, file, text });
    if (!process.stdout.isTTY) process.stdout.write(`${text}\n`);
  });
  if (process.stdout.isTTY) results.compose(new spec()).pipe(process.stdout);
  else results.resume();
  await new Promise<void>((done, fail) => {
    results.once('end', done);
    results.once('error', fail);
  });
  return { passed: counts.pass, skipped: counts.skipped, failures };
}

/** What to repeat after a failure: the file, or those that import the one which declares the test. */
const filesOf = (
  { file }: Failure,
  all: readonly string[],
  entries: readonly string[],
): readonly string[] => {
  const importers = all.includes(file) ? [file] : importersOf(file, all);
  return importers.length > 0 ? importers : entries.filter(entry => entry === file);
};

/** Runs the files of the failures again, each alone. Returns the remaining failures. */
async function tryAgain(
  failures: readonly Failure[],
  files: readonly string[],
  name: string | undefined,
): Promise<readonly Failure[]> {
  process.stdout.write(`\nOnce more, alone: ${files.map(sourceOf).join(', ')}\n`);
  const second = await runFiles(files, 1, name);
  const unsteady = failures.filter(
    ({ name: test, file }) => !second.failures.some(each => each.name === test && each.file === file),
  );
  if (unsteady.length > 0) {
    const texts = unsteady.map(({ text }) => text).join('\n');
    process.stdout.write(`\nUnsteady, failed at first and passed alone: ${unsteady.length}\n${texts}\n`);
  }
  return second.failures;
}

/** Resolves with the number of tests that failed twice. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { name: { type: 'string' } },
  });
  const files = testFiles(positionals);
  const entries = gather(files, positionals.length === 0);
  // Two more than the processors, because many tests wait.
  const first = await runFiles(entries, availableParallelism() + 2, values.name);
  const again = [...new Set(first.failures.flatMap(failure => filesOf(failure, files, entries)))];
  const isTried = again.length > 0 && first.failures.length <= SECOND_ATTEMPTS_MAX;
  const failed = (isTried ? await tryAgain(first.failures, again, values.name) : first.failures).length;
  const passed = first.passed + Math.max(0, first.failures.length - failed);
  process.stdout.write(`\n${passed} passed, ${failed} failed, ${first.skipped} skipped\n`);
  return failed;
}

try {
  process.exitCode = (await main()) === 0 ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 2;
}
