// What the log is told of a request, the same for every service. Made only for what is logged.
import type { WireRequest } from '#base';
import type { RequestEntry } from './log.js';

interface Answered {
  readonly request: WireRequest;
  readonly requestId: string;
  /** In milliseconds, of a clock that does not jump. */
  readonly began: number;
}

interface Refused {
  /** As it went over the wire. */
  readonly code?: string;
  readonly reason?: string | number;
}

const CLIENT_REQUEST_ID = /^[\x20-\x7e]{1,1024}$/;

/** A client's own id for a request, if it may stand in a header. */
export const echoed = (id: string): string | undefined => (CLIENT_REQUEST_ID.test(id) ? id : undefined);

export function requestEntry(
  service: RequestEntry['service'],
  { request, requestId, began }: Answered,
  status: number,
  refused: Refused | undefined,
): RequestEntry {
  const { method, target, headers } = request;
  const clientRequestId = headers['x-ms-client-request-id'];
  const reason = refused?.reason;
  return {
    service,
    requestId,
    clientRequestId: clientRequestId === undefined ? undefined : echoed(clientRequestId),
    method,
    path: target.split('?', 1)[0] ?? '',
    status,
    code: refused?.code,
    reason: reason === undefined ? undefined : String(reason),
    milliseconds: Math.round((performance.now() - began) * 1000) / 1000,
  };
}
