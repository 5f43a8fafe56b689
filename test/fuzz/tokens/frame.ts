// The services in front of an empty store, to which callers present themselves.
import { type Accounts, issueToken, type Role } from '#server';
import { openMemoryStore } from '#store';
import { answerOf, type DirectServer, directService } from '../../support/direct-service.js';
import { checkAnswer } from '../check-answer.js';
import { NOW } from '../world.js';
import type { Presented } from './judge.js';

export interface Reply {
  readonly status: number;
  readonly text: string;
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
}

export class Frame {
  readonly #accounts: Accounts;
  readonly #failures: unknown[] = [];
  readonly #server: DirectServer;

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
    this.#server = directService(openMemoryStore({ clock: () => NOW }), () => NOW, this.#failures, accounts);
  }

  async send(service: 'table' | 'blob', caller: Presented, body = ''): Promise<Reply> {
    const { tables, blobs } = this.#server;
    const answer = await answerOf(service === 'table' ? tables : blobs, { ...caller, body }, this.#failures);
    checkAnswer(service, { ...answer, isHead: caller.method === 'HEAD' });
    const headers = answer.headers.map(([name, value]) => [name.toLowerCase(), value] as const);
    return { status: answer.status, text: answer.body.toString(), headers: new Map(headers) };
  }

  /** A request that must succeed. */
  async make(service: 'table' | 'blob', caller: Omit<Presented, 'secure' | 'remoteAddress'>, body = '') {
    const { headers } = caller;
    const whole = { host: 'localhost', 'content-length': String(Buffer.byteLength(body)), ...headers };
    const from = { secure: true, remoteAddress: '127.0.0.1' };
    const reply = await this.send(service, { ...caller, ...from, headers: whole }, body);
    if (reply.status < 300) return reply;
    throw new Error(`${caller.method} ${caller.target}: ${reply.status} ${reply.text}`);
  }

  async bearer(account: string, role: Role): Promise<Readonly<Record<string, string>>> {
    const token = await issueToken(this.#accounts, { account, roles: [role], lifetimeSeconds: 3_600 }, NOW);
    return { authorization: `Bearer ${token}` };
  }
}
