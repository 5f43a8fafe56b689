// The whole fuzz suite: `npm run test:fuzz -- [--part direct|sockets|tokens|blobs] [--runs N] [--seed S] [--first K]`. Stops at the first part
// that fails.
import { parseArgs } from 'node:util';
import { runBlobTokens } from './blob-tokens/blob-token-part.js';
import { runDirect } from './direct/direct-part.js';
import type { Part } from './part.js';
import { runSockets } from './sockets/socket-part.js';
import { runTokens } from './tokens/token-part.js';

const PARTS: Readonly<Record<string, { readonly part: Part; readonly runs: number }>> = {
  direct: { part: runDirect, runs: 1_000_000 },
  sockets: { part: runSockets, runs: 20_000 },
  tokens: { part: runTokens, runs: 200_000 },
  blobs: { part: runBlobTokens, runs: 200_000 },
};

function wholeNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^\d{1,9}$/.test(text)) throw new RangeError(`--${name} ${text} is no whole number.`);
  return Number(text);
}

const { values } = parseArgs({
  options: {
    part: { type: 'string' },
    runs: { type: 'string' },
    seed: { type: 'string' },
    first: { type: 'string' },
  },
});
const seed = wholeNumber('seed', values.seed, 1);
const first = wholeNumber('first', values.first, 0);
const wanted = Object.entries(PARTS).filter(([name]) => values.part === undefined || name === values.part);
if (wanted.length === 0) throw new RangeError(`There is no part ${values.part}.`);

for (const [name, { part, runs: otherwise }] of wanted) {
  const runs = wholeNumber('runs', values.runs, otherwise);
  const start = performance.now();
  const { isSound, text } = await part({ seed, first, runs });
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  process.stdout.write(`${text}\n`);
  if (!isSound) {
    process.stdout.write(`${name}: failed, seed ${seed}.\n`);
    process.exitCode = 1;
    break;
  }
  process.stdout.write(`${name}: ${runs} runs of seed ${seed}, nothing wrong, in ${seconds} s.\n`);
}
