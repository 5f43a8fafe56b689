// A short kill loop: one round with one process, and with SHELFMARK_LONG one with four. `npm run verify crash` is the
// long form, of both; both print how to repeat a failure. SHELFMARK_SEED repeats the choices of one here.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { onlyIn } from '../support/slow.js';
import { Life } from './life.js';

const seed = Number(process.env.SHELFMARK_SEED ?? Date.now() % 1_000_000);

for (const workers of [1, 4]) {
  test(`what was acknowledged survives the death of ${workers === 1 ? 'the server' : 'a worker, of all, and of the whole group'}`, {
    skip: process.platform !== 'linux' || (workers > 1 && onlyIn('crash')),
  }, async t => {
    t.diagnostic(
      `SHELFMARK_SEED=${seed}; the whole suite: node dist/test/crash/main.js --seed ${seed} --workers ${workers}`,
    );
    const directory = await mkdtemp(join(tmpdir(), 'shelfmark-crash-'));
    t.after(() => rm(directory, { recursive: true, maxRetries: 5 }));
    const life = new Life({ directory, seed, workers, isBrief: true });
    await life.round(1);
    await life.end();
  });
}
