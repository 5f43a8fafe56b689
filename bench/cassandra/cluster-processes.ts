// The processes that are measured on a cluster: the driver's all the time, and alternately the engine's or the
// server's: each reads without a round of Paxos only while no other has the store open. Asking for one starts it, after
// stopping the other.
import { fileURLToPath } from 'node:url';
import { resultOf } from '../load/ask-once.js';
import type { Endpoint } from '../load/requests.js';
import { makeAccount } from '../subjects/account.js';
import { ServerProcess } from '../subjects/server-process.js';
import { startShelfmark } from '../subjects/shelfmark.js';
import type { Job } from './works.js';

const PROGRAM = fileURLToPath(new URL('subject-process.js', import.meta.url));

type Opener = 'engine' | 'http';

export class ClusterProcesses {
  readonly #account = makeAccount();
  readonly #place: string;
  #driver: ServerProcess | undefined;
  #open: { readonly opener: Opener; readonly process: ServerProcess } | undefined;

  /** `place`: `//HOST,…/KEYSPACE?…`; creates the keyspace. */
  constructor(place: string) {
    this.#place = place;
  }

  async start(): Promise<void> {
    await this.http();
    this.#driver = await this.#startSubject('driver');
  }

  /** Removes the keyspace. */
  async stop(): Promise<void> {
    await this.#open?.process.stop();
    if (this.#driver !== undefined) await this.ask('driver', { end: true });
    await this.#driver?.stop();
  }

  async ask<T>(subject: 'driver' | 'engine', job: Job): Promise<T> {
    const asked = subject === 'driver' ? this.#driver : await this.#only('engine');
    return resultOf<T>(await asked?.ask(job));
  }

  /** The server. */
  http(): Promise<ServerProcess> {
    return this.#only('http');
  }

  /** The endpoint of its tables, or of its queues. */
  async endpoint(service: 'table' | 'queue'): Promise<Endpoint> {
    const { name: account, signature } = this.#account;
    const { ports } = await this.http();
    return { port: ports[service === 'table' ? 0 : 1] ?? 0, account, signature };
  }

  async #only(opener: Opener): Promise<ServerProcess> {
    if (this.#open?.opener === opener) return this.#open.process;
    await this.#open?.process.stop();
    this.#open = undefined;
    const process = opener === 'engine' ? await this.#startSubject('engine') : await this.#startServer();
    this.#open = { opener, process };
    return process;
  }

  #startServer(): Promise<ServerProcess> {
    const store = `cassandra:${this.#place}&create`;
    return startShelfmark({ store, account: this.#account });
  }

  #startSubject(name: 'engine' | 'driver'): Promise<ServerProcess> {
    const args = [name, this.#place, this.#account.name];
    return ServerProcess.start({ name, script: PROGRAM, args, ready: /is ready\n/, answers: true });
  }
}
