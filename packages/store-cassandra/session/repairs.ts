// Corrections of cassandra-driver 4.10 where a client has lost all its connections at once. The names are the driver's
// own, and missing from its types.
import type cassandra from 'cassandra-driver';

/** A refresh of the control connection that failed in itself is not repeated by the driver. */
const AGAIN_MS = 1000;

interface ControlConnection {
  readonly _isShuttingDown: boolean;
  readonly connection: { closeAsync(): Promise<void> } | null;
  /** Without a plan it begins anew; with one it goes on with the plan's next host. */
  _refresh(plan?: unknown): Promise<void>;
}

export function repair(client: cassandra.Client): void {
  client.on('hostRemove', endHost);
  const { controlConnection } = client as unknown as { readonly controlConnection: ControlConnection };
  refreshOnce(controlConnection);
}

/**
 * The driver creates the hosts again and forgets the old ones with their connections and timers, which nothing would
 * ever end.
 */
function endHost(host: cassandra.Host): void {
  const { shutdown } = host as unknown as { shutdown(waitForPending: boolean): Promise<void> };
  // It fails when the connections do, which are given up here.
  shutdown.call(host, false).catch(() => {});
}

/**
 * The driver listens twice to a connection that it made so, and then refreshes twice at a time, four times after the
 * next loss, and so on. They set each other's connection to null, which ends the process as an unhandled rejection.
 */
function refreshOnce(control: ControlConnection): void {
  const refresh = control._refresh.bind(control);
  let running: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    running ??= refresh()
      .catch(() => void setTimeout(begin, AGAIN_MS).unref())
      .finally(() => {
        running = undefined;
        // It was made after the client ended all others.
        if (control._isShuttingDown) control.connection?.closeAsync().catch(() => {});
      });
    return running;
  };
  control._refresh = plan => (plan === undefined ? begin() : refresh(plan));
}
