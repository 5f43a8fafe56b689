// One of several processes that serve together: starts its server, tells its primary, and ends when it is told to, or with it.
import type { RunningServer } from '#server';
import { fail, systemCode, textOf } from './fail.js';
import { STOP, type WorkerMessage } from './worker-message.js';

const tell = (message: WorkerMessage): void => {
  process.send?.(message);
};

/**
 * Resolves once the primary knows how the start went. A terminal's signal reaches the whole group, so here the second one
 * means no more than the first; it is the primary that ends workers at once. A primary that is gone takes its workers
 * along: node:cluster ends a worker whose channel closes.
 */
export async function work(
  start: () => Promise<RunningServer>,
  readyLine: (server: RunningServer) => string,
): Promise<void> {
  let server: RunningServer | undefined;
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    if (server === undefined) process.exit(0);
    server.close().then(() => process.exit(0), fail);
  };
  process.on('message', message => {
    if (message === STOP) stop();
  });
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  try {
    server = await start();
    tell({ kind: 'ready', line: readyLine(server) });
  } catch (error) {
    tell({ kind: 'failed', text: textOf(error), code: systemCode(error) });
  }
}
