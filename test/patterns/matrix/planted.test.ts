// The crash matrix finds faults that are planted in the library, each by the case that is made for it and in the words that fit it; and nothing where the same cases run as the library is.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { onlyIn } from '../../support/slow.js';
import { chanceOf, SEED } from '../support/seeded.js';
import { PLANTED_FAULTS, type PlantedFault } from './planted-faults.js';

/** In `npm run verify patterns`, by the run's seed. */
const SHARE = process.env.PATTERN_FULL === undefined ? 0.25 : 1;

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a case with one kind of crash at each request, in a process of its own. */
async function runWith({ by, case: name, crash }: PlantedFault, fault: string): Promise<Ended> {
  const file = fileURLToPath(new URL(`${by}.test.js`, import.meta.url));
  const plant = new URL('plant.js', import.meta.url).href;
  const { NODE_TEST_CONTEXT: _, MATRIX_PLAN: _plan, ...env } = process.env;
  const child = spawn(process.execPath, ['--import', plant, file], {
    env: { ...env, PLANTED_FAULT: fault, MATRIX_CASE: name, MATRIX_CRASH: crash, SHELFMARK_PEERS: 'memory' },
  });
  const ended = new Promise<number | null>(resolve => child.once('close', resolve));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, output: output + errors };
}

describe('faults planted in the library', { skip: onlyIn('patterns') }, () => {
  const chance = chanceOf(SEED);
  const wanted = PLANTED_FAULTS.filter(() => chance() < SHARE);
  for (const fault of wanted)
    test(`${fault.name} is found`, async () => {
      const { code, output } = await runWith(fault, fault.name);
      assert.notEqual(code, 0, 'Nothing was found.');
      assert.match(output, fault.words);
    });

  const ways = new Map(wanted.map(fault => [`${fault.case}: ${fault.crash}`, fault]));
  for (const [way, fault] of ways)
    test(`nothing is found without one, ${way}`, async () => {
      const { code, output } = await runWith(fault, 'none');
      assert.equal(code, 0, output);
    });
});
