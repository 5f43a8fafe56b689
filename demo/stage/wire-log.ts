// Records requests and answers: a policy in the client's pipeline that changes nothing.
import type { TableClient } from '@azure/data-tables';

/** The client exports no name for its pipeline's policies. */
export type WirePolicy = Parameters<TableClient['pipeline']['addPolicy']>[0];

export interface Exchange {
  readonly method: string;
  /** As the client sent it. */
  readonly url: string;
  /** The ETag that the write is conditional on; `*` asks only that the entity exists. */
  readonly ifMatch: string | undefined;
  readonly status: number;
  /** The size of the answer's body. */
  readonly bytes: number;
  /** From sending the request until the whole answer has arrived. */
  readonly ms: number;
}

export class WireLog {
  #exchanges: Exchange[] = [];

  /** Placed inside the client's retries, so that each attempt counts. */
  readonly policy: WirePolicy = {
    name: 'shelfmarkDemoWireLog',
    sendRequest: async (request, next) => {
      const began = performance.now();
      const response = await next(request);
      this.#exchanges.push({
        method: request.method,
        url: request.url,
        ifMatch: request.headers.get('If-Match'),
        status: response.status,
        bytes: Buffer.byteLength(response.bodyAsText ?? ''),
        ms: performance.now() - began,
      });
      return response;
    },
  };

  /** The exchanges since the last call. */
  take(): readonly Exchange[] {
    const taken = this.#exchanges;
    this.#exchanges = [];
    return taken;
  }
}
