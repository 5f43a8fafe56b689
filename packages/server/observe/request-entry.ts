// The log entry of a request, the same for every service. Made only for requests that are logged.
import type { WireRequest } from '#base';
import type { RequestEntry } from './log.js';

interface Answered {
  readonly request: WireRequest;
  readonly requestId: string;
  readonly clientRequestId: string | undefined;
  /** In milliseconds, of a clock that does not jump. */
  readonly began: number;
}

interface Refused {
  /** As it went over the wire. */
  readonly code?: string;
  readonly reason?: string | number | undefined;
}

export function requestEntry(
  service: RequestEntry['service'],
  { request, requestId, clientRequestId, began }: Answered,
  status: number,
  refused: Refused | undefined,
): RequestEntry {
  const { method, target } = request;
  const reason = refused?.reason;
  return {
    service,
    requestId,
    clientRequestId,
    method,
    path: target.split('?', 1)[0] ?? '',
    status,
    code: refused?.code,
    reason: reason === undefined ? undefined : String(reason),
    milliseconds: Math.round((performance.now() - began) * 1000) / 1000,
  };
}
