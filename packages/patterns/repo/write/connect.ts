// Makes the parts that repositories, batches and writers share from the official clients and the options of `open`.
import { newUuid, REAL_SURROUNDINGS, type Surroundings } from '../../concurrency/surroundings.js';
import type { Clients } from '../../transport/clients.js';
import { Sender } from '../../transport/sender.js';
import { type RowRequests, TableRequests } from '../../transport/table-requests.js';
import { refuseDefinition } from '../../values/pattern-error.js';
import { OperationIds } from './operation-id.js';
import { refuseEmptySecret, type Service, type ServiceOptions } from './service.js';
import { SettledWrites } from './settled-writes.js';

const ANNOUNCE_AFTER_SECONDS = 2;
const RESERVE_FOR_SECONDS = 30;
/** Azure refuses requests 15 minutes after they were signed with a key. The rest is for processes that stand still before they sign one. */
const KEEP_ABORTED_SECONDS = 86_400;

/** What `open` makes repositories of: for tools that send requests of their own. */
export function connect(clients: Clients, options: ServiceOptions = {}): Service {
  if (clients?.tables?.pipeline === undefined)
    refuseDefinition('open()', 'it needs a TableServiceClient: open({ tables })');
  const { tables, queues, blobs } = clients;
  const {
    now = REAL_SURROUNDINGS.now,
    random = REAL_SURROUNDINGS.random,
    sleep = REAL_SURROUNDINGS.sleep,
  } = options;
  const surroundings: Surroundings = { now, random, sleep };
  const operationIds =
    options.operationIds === false ? undefined : new OperationIds(options.operationIds ?? {}, surroundings);
  refuseEmptySecret(options.queries);
  const sender = new Sender(tables, options);
  const requests = new TableRequests(sender);
  const writes = new SettledWrites(requests, operationIds, () => newUuid(random));
  return {
    clients: { tables, queues, blobs, timeoutMilliseconds: options.timeoutMilliseconds },
    requests,
    sender,
    writes,
    operationIds,
    surroundings,
    onDrift: options.onDrift,
    queries: options.queries ?? {},
    announceAfter: options.announceAfter ?? ANNOUNCE_AFTER_SECONDS,
    reservedFor: (options.reserveFor ?? RESERVE_FOR_SECONDS) * 1_000,
    abortedFor: (options.keepAborted ?? KEEP_ABORTED_SECONDS) * 1_000,
  };
}

/** The same with other requests below. */
export function withRequests(service: Service, requests: RowRequests): Service {
  const { operationIds, surroundings } = service;
  const writes = new SettledWrites(requests, operationIds, () => newUuid(surroundings.random));
  return { ...service, requests, writes };
}
