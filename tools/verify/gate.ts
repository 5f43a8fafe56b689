// What must pass before a change lands: `npm test`, the demo, recorded answers, a small fixed share of each long suite,
// the packed package, and `npm test`'s files on the newest Node. Continues after a failure. .ci/run calls it in a clean
// clone.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { longTests, program, type Row, report, runStage, type Step, tests } from './step.js';

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
    steps: [
      {
        ...program(`npm test on Node ${NEWEST_NODE}`, 'tools/verify/on-node.js', [NEWEST_NODE]),
        isRepeated: false,
      },
    ],
  },
];

const began = performance.now();
const rows: Row[] = [];
for (const stage of STAGES) rows.push(...(await runStage({ ...stage, isShown: true, directory })));
process.exitCode = report(rows, began, false);
