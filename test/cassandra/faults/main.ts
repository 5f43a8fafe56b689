// node dist/test/cassandra/faults/main.js --minutes N --seed S: three nodes of Cassandra and three front ends that fail
// while clients work.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { kindsFor } from './plan.js';
import { isPlant, PLANTS } from './planted/plants.js';
import { Faults, run, seconds, type Told } from './run.js';

const MINUTES = 10;
/** The longest time without any answer while one node fails. */
const GAP_MS_MAX = 3000;
const FIRST = 11;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: process.env.CASSANDRA_FAULT_MINUTES ?? String(MINUTES) },
    seed: { type: 'string' },
    // One node stands in for all: its replies are lost and it pauses, which costs a third, and is enough to find most
    // faults of a front end.
    nodes: { type: 'string', default: '3' },
    // Only one kind of rounds, by its name in the report.
    round: { type: 'string' },
    plant: { type: 'string' },
    // For a machine that is slow now and then.
    'tell-gaps': { type: 'boolean', default: false },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function tell(told: readonly Told[]): void {
  const writes = told.reduce((total, { writes: more }) => total + more, 0);
  const unclear = told.reduce((total, { unclear: more }) => total + more, 0);
  say(
    `${told.length} rounds: of ${writes} acknowledged writes none is lost, none is doubled; ${unclear} answers were unclear.`,
  );
  say('The longest time without an acknowledged write, and the longest wait of one call, by what failed:');
  for (const kind of new Set(told.map(({ kind }) => kind))) {
    const rounds = told.filter(one => one.kind === kind);
    const gap = Math.max(...rounds.map(({ during }) => during.gap));
    const longest = Math.max(...rounds.map(({ during }) => during.longest));
    say(
      `  ${kind.padEnd(36)} ${rounds.length} times  ${seconds(gap).padStart(7)} ${seconds(longest).padStart(7)}`,
    );
  }
}

async function main(): Promise<void> {
  const seed = Number(values.seed ?? (Date.now() % 1_000_000) + 1);
  const minutes = Number(values.minutes);
  const directory = await mkdtemp(join(tmpdir(), 'shelfmark-faults-'));
  const first = Number(process.env.SHELFMARK_CASSANDRA_FIRST ?? FIRST);
  const { plant, nodes, round } = values;
  if (nodes !== '1' && nodes !== '3') throw new Error('--nodes is 1 or 3.');
  if (plant !== undefined && !isPlant(plant))
    throw new Error(`--plant is one of: ${Object.keys(PLANTS).join(', ')}.`);
  const kinds = kindsFor(Array.from({ length: Number(nodes) }, (_, at) => at + 1));
  if (round !== undefined && !kinds.includes(round))
    throw new Error(`--round is one of: ${kinds.join(', ')}.`);
  const chosen = `${nodes === '3' ? '' : ` --nodes ${nodes}`}${round === undefined ? '' : ` --round '${round}'`}`;
  const command = `node dist/test/cassandra/faults/main.js --seed ${seed} --minutes ${minutes}${chosen}`;
  say(`Seed ${seed}: ${command}`);
  try {
    const told = await run({
      seed,
      minutes,
      nodes: Number(nodes),
      kind: round,
      directory,
      first,
      plant,
      say,
    });
    tell(told);
    if (plant !== undefined) throw new Error(`Not found: a front end that ${plant}.`);
    const late = told.filter(({ isOfOneNode, during }) => isOfOneNode && during.gap > GAP_MS_MAX);
    for (const { kind, during } of late)
      say(`Too long: ${kind}, nobody's write was acknowledged for ${seconds(during.gap)}.`);
    if (late.length > 0 && !values['tell-gaps']) process.exitCode = 1;
    const undecided = told.filter(({ isUndecided }) => isUndecided).length;
    if (2 * undecided > told.length) throw new Error(`${undecided} of ${told.length} rounds are undecided.`);
    await rm(directory, { recursive: true, maxRetries: 5 });
  } catch (error) {
    say(`${error instanceof Error ? error.stack : error}\n`);
    if (plant !== undefined && error instanceof Faults) {
      say(`Found: a front end that ${plant}.`);
      await rm(directory, { recursive: true, maxRetries: 5 });
      return;
    }
    const log = join(directory, 'answers.log');
    if (error instanceof Faults) await writeFile(log, error.journal);
    say(
      `Seed ${seed}; what was asked and answered is in ${log}.\nThe same plan, at other moments: ${command}`,
    );
    process.exitCode = 1;
  }
}

await main();
// Nothing that is left may keep it from exiting.
process.exit();
