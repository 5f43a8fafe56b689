// Several processes that serve as one: the port that they share, the one ready line, the signals.
import { ConfigurationError } from '#server';
import { freePort } from './free-port.js';
import { Primary } from './primary.js';

/** Times that another free port is tried, where another program was faster. */
const PORTS_MAX = 5;

export interface Together {
  readonly workers: number;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/**
 * Gives the ready line once all workers accept. From the call on signals stop all of them. A port is chosen before any
 * worker starts: one that replaces others has to find the port that they had.
 *
 * @throws ConfigurationError for whatever a worker could not start for, the system's error where the host has no port.
 */
export async function serveTogether({ workers, host, port }: Together): Promise<string> {
  let primary: Primary | undefined;
  const stop = (): void => (primary === undefined ? process.exit(0) : primary.stop());
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  for (let ports = 1; ; ports++) {
    const shared = port === 0 ? await freePort(host) : port;
    // Of an option that comes twice the last one counts.
    primary = new Primary({ workers, args: [...process.argv.slice(2), '--table-port', String(shared)] });
    const started = await primary.start();
    if (started.kind === 'ready') return started.line;
    const isTaken = port === 0 && started.code === 'EADDRINUSE';
    if (!isTaken || ports === PORTS_MAX) throw new ConfigurationError(started.text);
  }
}
