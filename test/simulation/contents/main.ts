// The slow suite of blobs and their contents. BLOB_SIMULATION_SEED names one seed.
import { runSeeds } from '../run-seeds.js';
import { installCalls } from './simulated-calls.js';

installCalls();
const { simulateBlobs } = await import('./simulate.js');
await runSeeds({
  only: 'BLOB_SIMULATION_SEED',
  count: 400,
  simulate: simulateBlobs,
});
