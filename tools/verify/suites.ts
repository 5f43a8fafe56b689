// The long suites: what each proves, about how many minutes it takes alone on two cores, and its commands.
// docs/testing.md lists which to run after which change.
import { longTests, program, type Step, tests } from './step.js';

export interface Suite {
  readonly name: string;
  readonly minutes: number;
  readonly proves: string;
  /** Programs that it uses, and the Debian packages that have them. Tests skip without them. */
  readonly debian?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

const INSTALL_AZURITE = program('install Azurite', 'test/patterns/install-azurite.js');
const CASSANDRA_TARGET = { SHELFMARK_TARGET: 'cassandra' };
const JAVA = { java: 'openjdk-17-jre-headless' };
const THREE_PEERS = { SHELFMARK_PEERS: 'memory,process,azurite' };

const FAULTS = 'test/cassandra/faults/main.js';

/** Ends with 0 once the judges have found it; one node costs a third, and is enough. */
const planted = (plant: string, round: string): Step =>
  program(`planted: ${plant}`, FAULTS, [
    ...['--nodes', '1', '--minutes', '3', '--seed', '24'],
    ...['--round', round, '--plant', plant],
  ]);

/** A step with a cluster of one node. */
const onCassandra = (step: Step): Step => ({
  ...step,
  command: ['node', 'dist/tools/cassandra/main.js', 'run', ...step.command],
});

export const SUITES: readonly Suite[] = [
  {
    name: 'blobs',
    minutes: 2,
    proves: 'blobs with damaged contents, and long lists',
    steps: [
      longTests('blobs', [
        'test/blobs',
        'simulation/contents',
        'scenarios/blob',
        'scenarios/broken-uploads',
        'blobs/operations/counts',
        'blobs/body/merge-layers',
        'store-lmdb/content',
        'store-lmdb/check/check-contents',
        'store-lmdb/check/content-damage',
      ]),
    ],
  },
  {
    name: 'captures',
    minutes: 3,
    proves: 'recorded answers of Azure, by one process, by four, and from memory',
    steps: [
      program('recordings', 'test/captures/replay.js'),
      program('recordings, four processes', 'test/captures/replay.js', ['--workers', '4']),
      program('recordings, memory engine', 'test/captures/replay.js', [], { SHELFMARK_TARGET: 'memory' }),
    ],
  },
  {
    name: 'cassandra',
    minutes: 16,
    proves:
      'the engine on one node of Cassandra: its laws, the scenarios, recorded answers; starts and rolling restarts of three nodes',
    debian: JAVA,
    steps: [
      onCassandra(
        longTests('cassandra', ['store-cassandra', 'test/cassandra', 'test/scenarios'], CASSANDRA_TARGET),
      ),
      onCassandra(program('recordings', 'test/captures/replay.js', [], CASSANDRA_TARGET)),
    ],
  },
  {
    name: 'cassandra-faults',
    minutes: 11,
    proves:
      'three faults planted in front ends are found; three nodes of Cassandra and their front ends, killed, stopped and cut off under writers for five minutes',
    debian: JAVA,
    steps: [
      planted('takes a refused commit for one that happened', 'pause'),
      planted('takes an unclear commit for one that happened', 'delay commits'),
      planted('looks for the outcome without a barrier', 'delay commits'),
      program('faults', FAULTS, ['--minutes', '5', '--seed', '24', '--tell-gaps']),
    ],
  },
  {
    name: 'crash',
    minutes: 9,
    proves: 'the kill loop: 200 rounds of killed servers, workers, backups and starts',
    steps: [program('kill loop', 'test/crash/main.js')],
  },
  {
    name: 'data-tools',
    minutes: 5,
    proves: 'dump, load, copy and diff: 200 kills of each, faults, full disks, Azurite',
    steps: [INSTALL_AZURITE, longTests('data tools', ['data-tools'], { SHELFMARK_PEERS: 'memory,azurite' })],
  },
  {
    name: 'explorer',
    minutes: 3,
    proves:
      'the explorer in Chromium: every flow, accessibility, its size; attacks on its server; its flows against Azurite',
    debian: { chromium: 'chromium' },
    steps: [
      longTests('explorer', ['test/explorer', 'packages/explorer']),
      INSTALL_AZURITE,
      longTests('explorer, Azurite', ['explorer/slow/tables', 'slow/services', 'slow/transfer'], {
        SHELFMARK_PEERS: 'azurite',
      }),
    ],
  },
  {
    name: 'fuzz',
    minutes: 5,
    proves: '900,000 requests to all services, half of them damaged or without permission',
    steps: [longTests('fuzz', ['test/fuzz'], { FUZZ_SEEDS: '400' })],
  },
  {
    name: 'large-blobs',
    minutes: 8,
    proves: 'blobs of 5 GB; needs 10 GB of disk',
    steps: [longTests('large blobs', ['blobs/slow/large-blobs'], { LARGE_BLOB_BYTES: '5000000000' })],
  },
  {
    name: 'node-versions',
    minutes: 5,
    proves: 'npm test on the newest Node.js 22 and 24',
    steps: ['22', '24'].map(version => ({
      ...program(`Node ${version}`, 'tools/verify/on-node.js', [version]),
      isRepeated: false,
    })),
  },
  {
    name: 'operations',
    minutes: 1,
    proves: 'health, metrics, signals and keys of several processes; nginx in front',
    debian: { nginx: 'nginx-light' },
    steps: [
      longTests('operations', [
        'test/operations',
        'scenarios/command',
        'scenarios/mistakes',
        'data-files/backup',
      ]),
    ],
  },
  {
    name: 'overload',
    minutes: 3,
    proves: 'full and stalled disks, floods, slow clients',
    steps: [longTests('overload', ['test/overload', 'cli/locked-directory', 'http/differential'])],
  },
  {
    name: 'patterns',
    minutes: 25,
    proves: 'the pattern library on three servers: 100,000 cases of each law, sampled crashes',
    debian: { chromium: 'chromium' },
    steps: [
      INSTALL_AZURITE,
      longTests('patterns', ['patterns', 'tools/reference', 'examples'], {
        PATTERN_RUNS: '100000',
        ...THREE_PEERS,
      }),
    ],
  },
  {
    name: 'patterns-matrix',
    minutes: 300,
    proves: 'the crash matrix of the pattern library at full length, and its writers',
    steps: [
      INSTALL_AZURITE,
      longTests('patterns at full length', ['packages/patterns', 'test/patterns'], {
        PATTERN_RUNS: '100000',
        PATTERN_FULL: '1',
        SHELFMARK_TEST_TIMEOUT: '14400000',
        ...THREE_PEERS,
      }),
    ],
  },
  {
    name: 'patterns-soak',
    minutes: 21,
    proves: 'ten minutes of writers, workers and failing requests on each of two servers',
    steps: [
      longTests('soak', ['patterns/slow/soak'], {
        SOAK_SECONDS: '600',
        SHELFMARK_PEERS: 'memory,process',
      }),
    ],
  },
  {
    name: 'power-cut',
    minutes: 3,
    proves: 'what is left when the power goes at any of 100 moments of each recording',
    steps: [program('power cuts', 'test/power-cut/main.js')],
  },
  {
    name: 'processes',
    minutes: 3,
    proves: 'several processes on one directory, all laws, more random cases, the benchmark itself',
    steps: [
      longTests('processes', [
        'packages/base',
        'packages/tables',
        'packages/wire',
        'store-lmdb/layout',
        'store-lmdb/exclusive-writers',
        'store-lmdb/processes',
        'store-lmdb/lmdb-store',
        'store-lmdb/pages',
        'store-lmdb/scan',
        'store-lmdb/overlay',
        'test/workers',
        'test/crash/crash',
        'slow/packaging',
        'bench/slow',
      ]),
    ],
  },
  {
    name: 'programs',
    minutes: 4,
    proves: 'rclone, azure-cli, AzCopy, versitygw, pgBackRest, Icechunk, Delta, adlfs, Auth.js, unmodified',
    // AzCopy needs the library of libsecret-tools.
    debian: {
      rclone: 'rclone',
      pgbackrest: 'pgbackrest',
      pg_ctlcluster: 'postgresql',
      'secret-tool': 'libsecret-tools',
    },
    steps: [longTests('programs', ['test/programs'])],
  },
  {
    name: 'queues',
    minutes: 2,
    proves: 'all scenarios of the Queue service, its ledger and its judge',
    steps: [longTests('queues', ['scenarios/queues', 'scenarios/sas', 'scenarios/legacy', 'test/queues'])],
  },
  {
    name: 'scenarios',
    minutes: 1,
    proves: 'the scenarios of the official clients on the memory engine',
    steps: [tests('scenarios', ['test/scenarios'], { SHELFMARK_TARGET: 'memory' })],
  },
  {
    name: 'simulation',
    minutes: 5,
    proves: '1,000 seeds of tables and queues, 400 of blobs, with faults and crashes',
    steps: [
      program('simulation', 'test/simulation/main.js'),
      program('simulation of blobs', 'test/simulation/contents/main.js'),
    ],
  },
];
