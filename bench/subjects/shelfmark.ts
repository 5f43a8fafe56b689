// Shelfmark as a subject: the command, as an operator starts it.
import { join } from 'node:path';
import { ROOT } from '../places.js';
import type { Account } from './account.js';
import { ServerProcess } from './server-process.js';

/** Ports of tables, of queues and of blobs. */
const READY =
  /^Shelfmark serves tables at http:\/\/127\.0\.0\.1:(\d+)\/\S*;.* queues at http:\/\/127\.0\.0\.1:(\d+)\/\S*; blobs at http:\/\/127\.0\.0\.1:(\d+)\/\S*;.*\n/m;

/** `place`: `--data DIRECTORY` or `--store ADDRESS`. */
export const startShelfmark = (place: readonly [string, string], account: Account): Promise<ServerProcess> =>
  ServerProcess.start({
    name: 'shelfmark',
    script: join(ROOT, 'bin', 'shelfmark.js'),
    args: ['serve', ...place, '--table-port', '0'],
    env: { AZURITE_ACCOUNTS: account.setting, SHELFMARK_ACCOUNTS: account.setting },
    ready: READY,
  });
