// The slow suite: many seeds, or the one that SIMULATION_SEED names. Stops at the first that fails.
// `SIMULATION_SEEDS` is how many, 1,000 unless given; `SIMULATION_FROM` the first, 1 unless given.
import { simulate } from './simulate.js';

const numberFrom = (name: string, otherwise: number): number => {
  const text = process.env[name];
  if (text === undefined || text === '') return otherwise;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0) throw new RangeError(`${name}=${text} is no whole number.`);
  return number;
};

const only = process.env.SIMULATION_SEED ? numberFrom('SIMULATION_SEED', 1) : undefined;
const first = only ?? numberFrom('SIMULATION_FROM', 1);
const count = only === undefined ? numberFrom('SIMULATION_SEEDS', 1000) : 1;

const start = performance.now();
const tally = new Map<string, number>();
let failure: string | undefined;
for (let seed = first; seed < first + count && failure === undefined; seed += 1) {
  const simulated = await simulate(seed);
  failure = simulated.failure;
  for (const outcome of simulated.outcomes) tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
}
if (failure === undefined) {
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  for (const [outcome, times] of [...tally].sort())
    process.stdout.write(`${String(times).padStart(7)} ${outcome}\n`);
  process.stdout.write(`Seeds ${first} to ${first + count - 1}: nothing wrong, in ${seconds} s.\n`);
} else {
  process.stdout.write(`${failure}\n`);
  process.exitCode = 1;
}
