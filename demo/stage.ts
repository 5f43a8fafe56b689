// What every chapter of the demo uses: clients of the table, the cost of their requests, and the output.
import { TableClient } from '@azure/data-tables';
import type { RunningServer } from 'shelfmark';
import type { Film } from './films.js';

const TABLE = 'films';

export const formatNumber = (value: number): string => value.toLocaleString('en-US');

/** The client exports no name for its pipeline's policies. */
type WirePolicy = Parameters<TableClient['pipeline']['addPolicy']>[0];

interface Exchange {
  /** The method and the path, decoded for reading. */
  readonly request: string;
  readonly status: number;
  /** Of the answer's body. */
  readonly bytes: number;
  /** From sending the request until the whole answer has arrived. */
  readonly milliseconds: number;
}

/** The entity without what the service added to it. */
export function ownProperties(entity: object): Record<string, unknown> {
  const own: Record<string, unknown> = { ...entity };
  for (const name of ['etag', 'timestamp', 'odata.metadata']) delete own[name];
  return own;
}

export class Stage {
  /** The file's data, to compare each answer with. */
  readonly films: readonly Film[];
  readonly client: TableClient;
  readonly say: (line: string) => void;
  readonly #connectionString: string;
  #exchanges: Exchange[] = [];
  readonly #policy: WirePolicy = {
    name: 'shelfmarkDemo',
    sendRequest: async (request, next) => {
      const begun = performance.now();
      const answer = await next(request);
      const { pathname, search } = new URL(request.url);
      this.#exchanges.push({
        request: `${request.method} ${pathname}${decodeURIComponent(search)}`,
        status: answer.status,
        bytes: Buffer.byteLength(answer.bodyAsText ?? ''),
        milliseconds: performance.now() - begun,
      });
      return answer;
    },
  };

  constructor(server: RunningServer, films: readonly Film[], say: (line: string) => void) {
    this.#connectionString = server.connectionString();
    this.films = films;
    this.say = say;
    this.client = this.connect();
  }

  /** Another client of the table, which shares nothing with the others except the record of requests. */
  connect(): TableClient {
    return TableClient.fromConnectionString(this.#connectionString, TABLE, {
      allowInsecureConnection: true,
      // Each attempt counts.
      additionalPolicies: [{ policy: this.#policy, position: 'perRetry' }],
    });
  }

  /** Prints the first request since the last call, and what all of them cost; returns the bytes of their answers. */
  tell(result: string): number {
    const exchanges = this.#exchanges;
    this.#exchanges = [];
    const sum = (of: 'bytes' | 'milliseconds'): number =>
      exchanges.reduce((total, exchange) => total + exchange[of], 0);
    const statuses = [...new Set(exchanges.map(({ status }) => status))].join(', ');
    const [bytes, milliseconds] = [sum('bytes'), sum('milliseconds')];
    this.say(`  ${exchanges[0]?.request}`);
    this.say(
      `  ${statuses}: ${result}; requests: ${exchanges.length}, bytes: ${formatNumber(bytes)}, milliseconds: ${milliseconds.toFixed(1)}`,
    );
    return bytes;
  }
}
