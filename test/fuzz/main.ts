// The whole fuzz suite: `node dist/test/fuzz/main.js [--part direct|sockets|tokens|blobs] [--runs N | --share S] [--seed S] [--first K]`. Stops at the first part
// that fails.
import { optionsOf } from '../random/options.js';
import { PARTS, type PartName } from './parts.js';
import { watchPart } from './run/watch.js';

const { part, share: text = '1', ...values } = optionsOf(['part', 'share'], ['runs', 'seed', 'first']);
const share = Number(text);
if (!(share > 0 && share <= 1)) throw new RangeError(`--share ${text} is not a number above 0 and up to 1.`);
const { seed = 1, first = 0 } = values;
const names = Object.keys(PARTS) as PartName[];
const wanted = names.filter(name => part === undefined || name === part);
if (wanted.length === 0) throw new RangeError(`There is no part ${part}.`);

for (const name of wanted) {
  const runs = values.runs ?? Math.ceil(PARTS[name].runs * share);
  const start = performance.now();
  const { isSound, text } = await watchPart(name, { seed, first, runs });
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  process.stdout.write(`${text}\n`);
  if (!isSound) {
    process.stdout.write(`${name}: failed, seed ${seed}.\n`);
    process.exitCode = 1;
    break;
  }
  process.stdout.write(`${name}: ${runs} runs of seed ${seed}, nothing wrong, in ${seconds} s.\n`);
}
