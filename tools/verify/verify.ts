// npm run verify [-- NAME…|all]: the long suites. Continues after a failure, and ends with a table.
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { endAll, type Outcome, runStep } from './step.js';
import { SUITES, type Suite } from './suites.js';

interface Row extends Outcome {
  readonly name: string;
  readonly files: readonly string[];
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const list = (): void => {
  const total = SUITES.reduce((sum, { minutes }) => sum + minutes, 0);
  const rows = SUITES.map(
    ({ name, minutes, proves }) => `  ${name.padEnd(17)} ${String(minutes).padStart(4)}  ${proves}`,
  );
  say(`npm run verify NAME…   runs these suites; "all" runs every one, about ${total} minutes\n`);
  say(`  name              min.  what it proves\n${rows.join('\n')}`);
};

/** Installs what a suite uses if this is root on Debian; tests that need something missing skip and report it. */
function install(suites: readonly Suite[]): void {
  const missing = suites
    .flatMap(({ debian = {} }) => Object.entries(debian))
    .filter(([name]) => spawnSync('which', [name], { stdio: 'ignore' }).status !== 0)
    .map(([, packageName]) => packageName);
  if (missing.length === 0 || process.getuid?.() !== 0) return;
  const names = [...new Set(missing)].join(' ');
  const script = `apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qqy --no-install-recommends ${names}`;
  const { status } = spawnSync('sh', ['-c', script], { stdio: 'ignore' });
  say(status === 0 ? `Installed ${names}.` : `Cannot install ${names}; tests that need them are skipped.`);
}

async function runSuite({ name, steps }: Suite, directory: string): Promise<Row> {
  const files: string[] = [];
  const sum = { seconds: 0, passed: 0, failed: 0, unsteady: 0 };
  for (const [index, step] of steps.entries()) {
    const file = join(directory, `${name}-${index + 1}.log`);
    const outcome = await runStep(step, file, false);
    if (outcome.failed + outcome.unsteady > 0) files.push(file);
    for (const key of Object.keys(sum) as (keyof Outcome)[]) sum[key] += outcome[key];
  }
  return { name, files, ...sum };
}

const lineOf = ({ name, seconds, passed, failed, unsteady, files }: Row): string =>
  [
    name.padEnd(17),
    seconds.toFixed(0).padStart(7),
    ...[passed, failed, unsteady].map(n => String(n).padStart(7)),
  ]
    .concat(files)
    .join(' ');

function report(rows: readonly Row[]): void {
  say('\nsuite             seconds  passed  failed  second  output of failures');
  for (const row of rows) say(lineOf(row));
  say('second: passed at the second attempt');
  const [passed, failed] = [rows.reduce((n, r) => n + r.passed, 0), rows.reduce((n, r) => n + r.failed, 0)];
  say(`${passed} passed, ${failed} failed`);
}

async function main(names: readonly string[]): Promise<number> {
  if (names.length === 0) {
    list();
    return 0;
  }
  const unknown = names.filter(name => name !== 'all' && !SUITES.some(suite => suite.name === name));
  if (unknown.length > 0) {
    const known = SUITES.map(({ name }) => name).join(', ');
    process.stderr.write(`There is no suite ${unknown.join(', ')}. There are: ${known}, all.\n`);
    return 2;
  }
  const suites = SUITES.filter(({ name }) => names.includes(name) || names.includes('all'));
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-verify-'));
  install(suites);
  const rows: Row[] = [];
  for (const suite of suites) {
    say(`== ${suite.name}, about ${suite.minutes} min., output in ${directory}`);
    const row = await runSuite(suite, directory);
    rows.push(row);
    say(lineOf(row));
  }
  report(rows);
  return rows.some(({ failed }) => failed > 0) ? 1 : 0;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    endAll();
    process.exit(128 + constants.signals[signal]);
  });
process.exitCode = await main(process.argv.slice(2));
