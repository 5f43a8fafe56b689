// A server without sockets, for suites that pass requests to its services as values.
import type { Clock, StreamedResponse, WireRequest, WireResponse } from '#base';
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from '#server';
import { openMemoryStore, type Store, type StoreWithContent } from '#store';
import { Accounts } from '../../packages/server/auth/accounts.js';
import { BearerTokens } from '../../packages/server/auth/bearer.js';
import { Service } from '../../packages/server/frame/handle-request.js';
import type { ServerContext } from '../../packages/server/frame/server-context.js';
import { BLOB_SERVICE } from '../../packages/server/services/blob/blob-service.js';
import { QUEUE_SERVICE } from '../../packages/server/services/queue/queue-service.js';
import { TABLE_SERVICE } from '../../packages/server/services/table/table-service.js';

/** A service without streamed answers. */
interface DirectService {
  readonly handle: (request: WireRequest) => Promise<WireResponse>;
}

interface StreamingService {
  readonly handle: (request: WireRequest) => Promise<WireResponse | StreamedResponse>;
}

export interface DirectServer extends ServerContext {
  readonly tables: DirectService;
  readonly queues: DirectService;
  readonly blobs: StreamingService;
}

/** Unique ids in the order of creation. */
export function countedIds(): () => string {
  let ids = 0;
  return () => {
    ids += 1;
    return `00000000-0000-0000-0000-${String(ids).padStart(12, '0')}`;
  };
}

/** Faults that are no refusals go to `failures`. Services on one store share their ids, which identify messages. */
export function directService(
  store: Store | StoreWithContent,
  clock: Clock,
  failures: unknown[],
  accounts = new Accounts({ [WELL_KNOWN_ACCOUNT]: [WELL_KNOWN_KEY] }),
  newId = countedIds(),
): DirectServer {
  const server: ServerContext = {
    store,
    content: 'content' in store ? store.content : openMemoryStore({ clock }).content,
    clock,
    accounts,
    bearer: new BearerTokens(accounts),
    log: { seesAnswers: false, request: () => undefined, failure: (_, error) => failures.push(error) },
    metrics: undefined,
    forwarding: undefined,
    deletion: undefined,
    newId,
  };
  return {
    ...server,
    tables: new Service(TABLE_SERVICE, server),
    queues: new Service(QUEUE_SERVICE, server),
    blobs: new Service(BLOB_SERVICE, server),
  };
}

type PlainRequest = Pick<WireRequest, 'method' | 'target' | 'headers'> &
  Partial<Omit<WireRequest, 'body'>> & { readonly body?: string | Buffer };

interface DirectAnswer {
  readonly status: number;
  readonly headers: WireResponse['headers'];
  readonly body: Buffer;
}

/** The whole answer to a request as a value. @throws the first of the failures, which are no refusals. */
export async function answerOf(
  service: StreamingService,
  { body = '', ...request }: PlainRequest,
  failures: unknown[] = [],
  pause?: () => Promise<void>,
): Promise<DirectAnswer> {
  const sent = { secure: false, remoteAddress: '127.0.0.1', bodyTooLarge: false, ...request };
  const { status, headers, body: answer = '' } = await service.handle({ ...sent, body: Buffer.from(body) });
  const pieces: Buffer[] = [];
  if (typeof answer === 'string' || Buffer.isBuffer(answer)) pieces.push(Buffer.from(answer));
  else
    for await (const piece of answer) {
      pieces.push(Buffer.from(piece));
      await pause?.();
    }
  const [failure] = failures.splice(0);
  if (failure !== undefined) throw failure;
  return { status, headers, body: Buffer.concat(pieces) };
}
