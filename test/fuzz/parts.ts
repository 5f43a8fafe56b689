// The parts of the suite. Of attempts to get in some must succeed, or the others prove nothing.
import { BlobTokenRun } from './blob-tokens/blob-token-run.js';
import { DirectRun } from './direct/direct-run.js';
import type { Part, Tally } from './run/part.js';
import { SocketRun } from './sockets/socket-run.js';
import { TokenRun } from './tokens/token-run.js';

const ATTEMPTS_MIN = 1_000;
const TABLE_CREDENTIALS = 4;
const BLOB_SHARE = 0.04;

const sum = (tally: Tally): number => [...tally.values()].reduce((all, count) => all + count, 0);

export type PartName = 'direct' | 'sockets' | 'tokens' | 'blobs';

export const PARTS: Readonly<Record<PartName, Part>> = {
  direct: { open: () => DirectRun.open(), runs: 1_000_000, epoch: 1_000 },
  /** A run is many streams at once. */
  sockets: { open: () => SocketRun.open(), runs: 834, epoch: 10 },
  tokens: {
    open: () => TokenRun.open(),
    runs: 200_000,
    epoch: 1_000,
    isEnough: (tally, runs) => runs < ATTEMPTS_MIN || tally.size >= TABLE_CREDENTIALS,
  },
  blobs: {
    open: async () => new BlobTokenRun(),
    runs: 200_000,
    epoch: 1_000,
    isEnough: (tally, runs) => sum(tally) >= BLOB_SHARE * runs,
  },
};
