// A client's way to a front end: one connection that is kept until an answer is lost or another front end is tried, and
// how long each answer took.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RawRequest } from '../../../support/raw-client.js';
import { Connection, type Reply } from '../../../support/worker-processes.js';
import type { Pace } from './pace.js';

const RECONNECT_MS = 20;
/** Statuses of a server that cannot serve the request. */
const FAILED = 500;
const ANSWERS_A_CONNECTION = 20;

export type Asked = Reply | { readonly error: unknown };

export class Asking {
  readonly #port: () => number;
  readonly #pace: Pace;
  #connection: Connection | undefined;
  #answers = 0;

  constructor(port: () => number, pace: Pace) {
    this.#port = port;
    this.#pace = pace;
  }

  async ask(isWrite: boolean, request: RawRequest): Promise<Asked> {
    const end = this.#pace.begin();
    try {
      this.#connection ??= new Connection(this.#port());
      const reply = await this.#connection.request(request);
      end(reply.status >= FAILED ? 'unclear' : isWrite && reply.status < 300 ? 'write' : 'read');
      this.#answers += 1;
      if (reply.status >= FAILED || this.#answers % ANSWERS_A_CONNECTION === 0) this.close();
      return reply;
    } catch (error) {
      end('unclear');
      this.close();
      await sleep(RECONNECT_MS);
      return { error };
    }
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

export const isRefused = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
