// The context of a request to the Blob service, and what the service keeps for each server: its background tasks and
// an authenticator for requests inside of others.
import { BackgroundWork, type BlobContext, BlobSweep } from '#blobs';
import type { ServiceRoute } from '#wire';
import type { BlobOperationKind, BlobResource } from '#wire/blob';
import type { AuthenticationProtocol } from '../../auth/auth-protocol.js';
import { Authenticator } from '../../auth/authenticate.js';
import { BackgroundSteps, sweepFailed } from '../../frame/background-steps.js';
import type { ServerContext } from '../../frame/server-context.js';
import type { RequestContext } from '../../frame/service-protocol.js';
import { openMd5 } from './md5-thread.js';

export type BlobRequest = RequestContext<BlobResource, BlobOperationKind>;
export type BlobAuthenticator = Authenticator<ServiceRoute<BlobResource>>;

const BACKGROUNDS = new WeakMap<ServerContext, BackgroundWork>();

/** One for all requests of a server, and for its background task. */
export function backgroundOf(server: ServerContext): BackgroundWork {
  const known = BACKGROUNDS.get(server);
  if (known) return known;
  const background = new BackgroundWork();
  BACKGROUNDS.set(server, background);
  return background;
}

export const blobContextOf = (server: ServerContext, account: string): BlobContext => ({
  store: server.store,
  content: server.content,
  account,
  ids: server.newId,
  clock: server.clock,
  background: backgroundOf(server),
  openMd5,
  deletion: server.deletion,
});

/** For one request: it remembers no signatures of copy sources, so that replaced keys are never used. */
export const authenticatorOf = (
  protocol: AuthenticationProtocol<ServiceRoute<BlobResource>>,
  server: ServerContext,
): BlobAuthenticator => new Authenticator(protocol, server);

/** Deletes what no row names while the server runs, and at its end waits for what requests left to be done. */
export function startBlobSweep(server: ServerContext): { stop(): Promise<void> } {
  const { store, content, clock, accounts, newId: ids } = server;
  const background = backgroundOf(server);
  const sweep = new BlobSweep({ store, content, clock, background, ids, accounts: () => accounts.names });
  const steps = new BackgroundSteps(sweep, sweepFailed('blob', server));
  return {
    stop: async () => {
      await steps.stop();
      await background.settled();
    },
  };
}
