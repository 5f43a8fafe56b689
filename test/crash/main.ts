// The kill loop: `node dist/test/crash/main.js --rounds N --seed S --workers N`. A life is ten rounds on one directory
// with a seed of its own, so that it can be repeated alone. Without --workers every fifth life has four.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { optionsOf } from '../random/options.js';
import { Life } from './life.js';

const ROUNDS_DEFAULT = 200;
const ROUNDS_A_LIFE = 10;
const WORKERS = 4;

const options = optionsOf([], ['rounds', 'seed', 'workers']);

/** False at the first fault, which it prints. */
async function live(seed: number, workers: number, rounds: number): Promise<number | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'shelfmark-crash-'));
  const life = new Life({ directory, seed, workers });
  let round = 0;
  try {
    for (round = 1; round <= rounds; round += 1) await life.round(round);
    await life.end();
    await rm(directory, { recursive: true, maxRetries: 5 });
    return life.acknowledged;
  } catch (error) {
    const log = join(directory, 'answers.log');
    await writeFile(log, life.journal.text());
    const command = `node dist/test/crash/main.js --seed ${seed} --rounds ${ROUNDS_A_LIFE} --workers ${workers}`;
    const where = `Seed ${seed}, round ${round}, ${workers} workers. The data is in ${directory}, what was asked and answered in ${log}.`;
    process.stdout.write(
      `${error instanceof Error ? error.stack : error}\n\n${where}\nThe same choices, at other moments: ${command}\n`,
    );
    return undefined;
  }
}

async function main(): Promise<void> {
  const { rounds = ROUNDS_DEFAULT, seed: first = (Date.now() % 1_000_000) + 1 } = options;
  const start = performance.now();
  let acknowledged = 0;
  for (let seed = first, left = rounds; left > 0; seed += 1, left -= ROUNDS_A_LIFE) {
    const workers = options.workers ?? (seed % 5 === 0 ? WORKERS : 1);
    const count = await live(seed, workers, Math.min(left, ROUNDS_A_LIFE));
    if (count === undefined) {
      process.exitCode = 1;
      return;
    }
    acknowledged += count;
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(
    `${rounds} rounds from seed ${first}: of ${acknowledged} acknowledged writes none is lost, in ${seconds} s.\n`,
  );
}

await main();
