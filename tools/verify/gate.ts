// What must pass before a change lands: `npm test`, the demo, recorded answers, a small fixed share of each long suite,
// the packed package, and `npm test`'s files on the newest Node. Continues after a failure. .ci/run calls it in a clean
// clone.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { longTests, type Outcome, program, runStep, type Step, tests } from './step.js';

/** A release, not a tag: a new Node must not block an unrelated change. */
const NEWEST_NODE = '26.12.1';

const directory = mkdtempSync(join(tmpdir(), 'shelfmark-gate-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));

/** Uses Azure's command if an earlier run of `verify programs` installed it. */
const NO_INSTALL = { SHELFMARK_INSTALL: 'no' };

/** The tests of each Node keep all processors busy; most other steps keep only one, so two of them run at a time. */
const STAGES: readonly { readonly width: number; readonly steps: readonly Step[] }[] = [
  { width: 1, steps: [{ name: 'npm test', command: ['npm', 'test'], isRepeated: false }] },
  {
    width: 2,
    steps: [
      program('demo', 'demo/main.js'),
      program('recordings', 'test/captures/replay.js'),
      program('kill loop, 15 rounds', 'test/crash/main.js', ['--rounds', '15', '--seed', '4']),
      program('simulation, 60 seeds', 'test/simulation/main.js', [], { SIMULATION_SEEDS: '60' }),
      program('simulation of blobs, 30 seeds', 'test/simulation/contents/main.js', [], {
        SIMULATION_SEEDS: '30',
      }),
      tests('fuzz, 60,000 requests', ['test/fuzz'], { FUZZ_SEEDS: '25' }),
      longTests('crash matrix of the pattern library', ['patterns/matrix'], {
        SHELFMARK_PEERS: 'memory',
        SHELFMARK_SEED: '1',
        MATRIX_SAMPLED: '2',
      }),
      longTests('rclone, a copy', ['programs/slow/rclone'], { RCLONE_FILES: '500' }),
      longTests('azure-cli, a round trip', ['programs/slow/azure-cli', '--name', 'round trip'], NO_INSTALL),
      program('power cuts, 40', 'test/power-cut/main.js', [
        ...['--cuts', '6', '--seed', '1'],
        '--skip-planted',
      ]),
      longTests('the packed package', ['test/slow/packaging']),
    ],
  },
  {
    width: 1,
    steps: [program(`npm test on Node ${NEWEST_NODE}`, 'tools/verify/on-node.js', [NEWEST_NODE])],
  },
];

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const rows = new Map<Step, Outcome>();

/** Runs the step once. Beside another step its output appears at its end, so that theirs do not mix. */
async function attempt(step: Step, isAlone: boolean): Promise<void> {
  const first = rows.get(step);
  const title = `== ${step.name}${first === undefined ? '' : ', once more'}`;
  const file = join(directory, `${title.slice(3)}.log`);
  if (isAlone) say(title);
  const { seconds, ...counts } = await runStep({ ...step, isRepeated: false }, file, isAlone);
  if (!isAlone) say(`${title}\n${readFileSync(file, 'utf8').trimEnd()}`);
  say(`-- ${counts.failed === 0 ? 'passed' : 'FAILED'} in ${seconds.toFixed(1)} s`);
  const unsteady = counts.unsteady + (counts.failed === 0 ? (first?.failed ?? 0) : 0);
  rows.set(step, { ...counts, unsteady, seconds: seconds + (first?.seconds ?? 0) });
}

/** Runs a stage's steps in their order, and those that failed beside others once more when nothing else runs. */
async function runStage({ width, steps }: (typeof STAGES)[number]): Promise<void> {
  const waiting = [...steps];
  const lane = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift())
      await attempt(step, width === 1);
  };
  await Promise.all(Array.from({ length: width }, lane));
  if (width === 1) return;
  for (const step of steps) if (rows.get(step)?.failed !== 0) await attempt(step, true);
}

const began = performance.now();
for (const stage of STAGES) await runStage(stage);

say('\nseconds  failed  unsteady  step');
for (const [{ name }, { seconds, failed, unsteady }] of rows)
  say(
    `${seconds.toFixed(1).padStart(7)} ${String(failed).padStart(7)} ${String(unsteady).padStart(9)}  ${name}`,
  );
const total = (key: keyof Outcome): number => [...rows.values()].reduce((sum, row) => sum + row[key], 0);
say(`${((performance.now() - began) / 1_000).toFixed(0)} s in all`);
say(`${total('passed')} passed, ${total('failed')} failed`);
process.exitCode = total('failed') === 0 ? 0 : 1;
