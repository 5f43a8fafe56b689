// The slow suite of tables and queues. SIMULATION_SEED names one seed.
import { runSeeds } from './run-seeds.js';
import { simulate } from './simulate.js';

await runSeeds({ only: 'SIMULATION_SEED', count: 1000, simulate });
