// Power cuts: `node dist/test/power-cut/main.js --cuts N --seed S --only WORD-OF-A-CASE`. Records the servers'
// operations on files, then cuts the power at many moments and judges the remaining files. At the end it repeats this
// with a server and with disks that do not sync, where losses must be found: this shows that the test detects them.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawFrom } from '../random/arbitrary.js';
import { optionsOf } from '../random/options.js';
import { CASES, SPOILT_CASES } from './cases.js';
import { faultsOfFailingDisk } from './failing-disk.js';
import { compileRecorder } from './recorder.js';
import { cutPower, record } from './session.js';

const CUTS_DEFAULT = 100;

const options = optionsOf(['only'], ['cuts', 'seed'], ['skip-planted']);

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** False at the first fault. */
async function sayFailingDisks(directory: string, library: string): Promise<boolean> {
  for (const isLogged of [false, true]) {
    for (const what of ['sync', 'write'] as const) {
      const name = `${isLogged ? 'a log on a disk' : 'a disk'} whose ${what} fails for a while`;
      const faults = await faultsOfFailingDisk(join(directory, name), library, what, isLogged);
      say(`${name}: ${faults.length === 0 ? 'as it should be' : faults.join(' ')}`);
      if (faults.length > 0) return false;
    }
  }
  return true;
}

async function main(directory: string): Promise<boolean> {
  const library = join(directory, 'recorder.so');
  const missing = compileRecorder(library);
  if (missing !== undefined) {
    say(`Power cuts are not tried: ${missing}.`);
    return true;
  }
  const { only = '', seed = (Date.now() % 1_000_000) + 1, cuts = CUTS_DEFAULT } = options;
  if (only === '' && !(await sayFailingDisks(directory, library))) return false;
  const cases = options['skip-planted'] ? CASES : [...CASES, ...SPOILT_CASES];
  for (const [index, one] of cases.entries()) {
    if (!one.name.includes(only)) continue;
    const mustLose = index >= CASES.length;
    const draw = drawFrom(seed + index);
    const session = await record(join(directory, `case${index}`), library, one, draw).catch(
      (error: unknown) => {
        // Only a planted server may lose something while it runs.
        if (one.fault === undefined) throw error;
        say(`${one.name}: lost something before any cut, as it should.\n  ${error}`);
      },
    );
    if (session === undefined) continue;
    // The first loss ends it, and for some faults few moments show one.
    const result = await cutPower(session, one, mustLose ? 5 * cuts : cuts, draw);
    const isRight = result.faults.length > 0 === mustLose;
    say(
      `${one.name}: ${result.cuts} cuts in ${session.records.length} records; ${isRight ? '' : 'NOT '}as it should be${mustLose ? ', which is to lose something' : ''}.`,
    );
    if (isRight) {
      if (mustLose) say(`  ${result.faults[0]?.split('\n')[0]}`);
      rmSync(session.directory, { recursive: true });
      continue;
    }
    writeFileSync(join(session.directory, 'answers.log'), session.workload.journal.text());
    say(
      `${result.faults.slice(0, 10).join('\n')}\n\nAfter record ${result.cuts}; what is left is in ${session.directory}/cut, what was asked and answered in ${session.directory}/answers.log.`,
    );
    say(`The same choices, at other moments: node dist/test/power-cut/main.js --seed ${seed} --cuts ${cuts}`);
    return false;
  }
  return true;
}

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'shelfmark-power-')));
if (await main(directory)) rmSync(directory, { recursive: true });
else process.exitCode = 1;
