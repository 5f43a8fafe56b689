// npm run verify [-- NAME…|all]: the long suites. Continues after a failure, and ends with a table.
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { endAll, type Row, report, runStage, say } from './step.js';
import { SUITES, type Suite } from './suites.js';

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
  const began = performance.now();
  const rows: Row[] = [];
  for (const { name, minutes, steps } of suites) {
    say(`\n${name}, about ${minutes} min., output in ${directory}`);
    const named = steps.map(step => ({ ...step, name: `${name}: ${step.name}` }));
    rows.push(...(await runStage({ steps: named, width: 1, isShown: false, directory })));
  }
  return report(rows, began, true);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    endAll();
    process.exit(128 + constants.signals[signal]);
  });
process.exitCode = await main(process.argv.slice(2));
