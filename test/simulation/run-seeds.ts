// The slow suite of a simulation: many seeds, or the one that its variable names. Stops at the first that fails, and
// reports how often each answer was given.

const numberFrom = (name: string, otherwise: number): number => {
  const text = process.env[name];
  if (text === undefined || text === '') return otherwise;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0) throw new RangeError(`${name}=${text} is not a whole number.`);
  return number;
};

export interface Seeds {
  /** The variable that names one seed. */
  readonly only: string;
  /** `SIMULATION_SEEDS` is how many, `SIMULATION_FROM` the first, default 1. */
  readonly count: number;
  readonly simulate: (seed: number) => Promise<Simulated>;
}

export interface Simulated {
  /** Undefined if nothing is wrong. */
  readonly failure: string | undefined;
  /** The outcomes of the calls, as `get 200` or `write 412 UpdateConditionNotSatisfied`. */
  readonly outcomes: readonly string[];
}

export async function runSeeds({ only, count: usual, simulate }: Seeds): Promise<void> {
  const one = process.env[only] ? numberFrom(only, 1) : undefined;
  const first = one ?? numberFrom('SIMULATION_FROM', 1);
  const count = one === undefined ? numberFrom('SIMULATION_SEEDS', usual) : 1;
  const start = performance.now();
  const tally = new Map<string, number>();
  for (let seed = first; seed < first + count; seed += 1) {
    const { failure, outcomes } = await simulate(seed);
    if (failure !== undefined) {
      process.stdout.write(`${failure}\n`);
      process.exitCode = 1;
      return;
    }
    for (const outcome of outcomes) tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  for (const [outcome, times] of [...tally].sort())
    process.stdout.write(`${String(times).padStart(7)} ${outcome}\n`);
  process.stdout.write(`Seeds ${first} to ${first + count - 1}: nothing wrong, in ${seconds} s.\n`);
}
