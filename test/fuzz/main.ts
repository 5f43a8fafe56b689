// The whole fuzz suite: `node dist/test/fuzz/main.js [--part direct|sockets|tokens|blobs] [--runs N | --share S] [--seed S] [--first K]`. Stops at the first part
// that fails.
import { parseArgs } from 'node:util';
import { runBlobTokens, runTokens } from './attempts.js';
import { runDirect } from './direct/direct-part.js';
import type { Part } from './part.js';
import { runSockets } from './sockets/socket-part.js';

const PARTS: Readonly<Record<string, { readonly part: Part; readonly runs: number }>> = {
  direct: { part: runDirect, runs: 1_000_000 },
  sockets: { part: runSockets, runs: 20_000 },
  tokens: { part: runTokens, runs: 200_000 },
  blobs: { part: runBlobTokens, runs: 200_000 },
};

function wholeNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^\d{1,9}$/.test(text)) throw new RangeError(`--${name} ${text} is not a whole number.`);
  return Number(text);
}

function shareOf(text: string | undefined): number {
  if (text === undefined) return 1;
  const share = Number(text);
  if (!/^[\d.]+$/.test(text) || !(share > 0 && share <= 1))
    throw new RangeError(`--share ${text} is not a number above 0 and up to 1.`);
  return share;
}

const { values } = parseArgs({
  options: {
    part: { type: 'string' },
    share: { type: 'string' },
    runs: { type: 'string' },
    seed: { type: 'string' },
    first: { type: 'string' },
  },
});
const seed = wholeNumber('seed', values.seed, 1);
const share = shareOf(values.share);
const first = wholeNumber('first', values.first, 0);
const wanted = Object.entries(PARTS).filter(([name]) => values.part === undefined || name === values.part);
if (wanted.length === 0) throw new RangeError(`There is no part ${values.part}.`);

for (const [name, { part, runs: otherwise }] of wanted) {
  const runs = wholeNumber('runs', values.runs, Math.ceil(otherwise * share));
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
