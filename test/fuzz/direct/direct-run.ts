// Requests as values through the frame, one after another: the fast layer. A run has a number; seed and number
// determine the request, and earlier runs of its epoch the state of the store, which is reset with each epoch.
import { inspect } from 'node:util';
import type { WireRequest, WireResponse } from '#base';
import { Accounts, issueToken, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from '#server';
import { openMemoryStore } from '#store';
import { BODY_BYTES_MAX } from '../../../packages/server/frame/handle-request.js';
import { Random } from '../../simulation/plan/random.js';
import { accountSas } from '../../simulation/run/signing.js';
import { collected, type DirectServer, directService } from '../../support/direct-service.js';
import { ACCOUNT, DATE, NOW, sharedKeyLite } from '../credentials.js';
import { CONTAINERS } from '../texts/blob-text.js';
import { TABLES } from '../texts/operation-text.js';
import { checkAnswer } from './check-answer.js';
import { checkBlobAnswer } from './check-blob-answer.js';
import { BLOB_HOST, someBlobRequest } from './some-blob-request.js';
import { type FuzzRequest, HOST, someRequest } from './some-request.js';

/** Runs on one store: it stays small, and a failure is repeated from the beginning of its epoch. */
export const EPOCH = 1_000;

/** Differs from neighbouring runs, whatever the seed. */
export const randomOf = (seed: number, run: number): Random =>
  new Random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(run + 1, 0x85ebca77));

export const bearerToken = (): Promise<string> =>
  issueToken(
    new Accounts({ [WELL_KNOWN_ACCOUNT]: [WELL_KNOWN_KEY] }),
    { account: ACCOUNT, roles: ['Storage Account Contributor'], lifetimeSeconds: 3_600 },
    NOW,
  );

/** In the form in which a connection hands it on. */
const asWire = ({ method, target, headers, body }: FuzzRequest): WireRequest => ({
  method,
  target,
  headers: { 'content-length': String(body.length), ...headers },
  body: body.length > BODY_BYTES_MAX ? Buffer.alloc(0) : body,
  bodyTooLarge: body.length > BODY_BYTES_MAX,
  secure: false,
  remoteAddress: '127.0.0.1',
});

/** The parts of a request, for copying. */
export const describeRequest = ({ method, target, headers, body }: FuzzRequest): string =>
  inspect(
    { method, target, headers, body: body.toString('latin1') },
    { maxStringLength: 4_000, breakLength: 110 },
  );

export class DirectRun {
  readonly #bearer: string;
  readonly #failures: unknown[] = [];
  #service: DirectServer;

  private constructor(bearer: string) {
    this.#bearer = bearer;
    this.#service = this.#newService();
  }

  static async open(): Promise<DirectRun> {
    const run = new DirectRun(await bearerToken());
    await run.reset();
    return run;
  }

  #newService(): DirectServer {
    return directService(openMemoryStore({ clock: () => NOW }), () => NOW, this.#failures);
  }

  /** An empty store, with the tables that requests mostly name. */
  async reset(): Promise<void> {
    this.#service = this.#newService();
    for (const name of TABLES) {
      const target = `/${ACCOUNT}/Tables`;
      const authorization = sharedKeyLite({ method: 'POST', target, headers: {} });
      const headers = { host: HOST, 'x-ms-date': DATE, authorization };
      const body = Buffer.from(JSON.stringify({ TableName: name }));
      await this.#service.tables.handle(asWire({ method: 'POST', target, headers, body }));
    }
    for (const name of CONTAINERS) {
      const target = `/${ACCOUNT}/${name}?restype=container&${accountSas('b')}`;
      const headers = { host: BLOB_HOST, 'x-ms-version': '2021-12-02', 'content-length': '0' };
      await this.#service.blobs.handle(asWire({ method: 'PUT', target, headers, body: Buffer.alloc(0) }));
    }
  }

  /** Every third one is for blobs. */
  request(seed: number, run: number): FuzzRequest {
    const random = randomOf(seed, run);
    return run % 3 === 2 ? someBlobRequest(random) : someRequest(random, this.#bearer);
  }

  /** @throws the mistake in the answer, or the fault that caused it. */
  async send(request: FuzzRequest): Promise<WireResponse> {
    const isOfBlobs = request.service === 'blob';
    const service = isOfBlobs ? this.#service.blobs : this.#service.tables;
    const response = await collected(await service.handle(asWire(request)));
    const [fault] = this.#failures.splice(0);
    if (fault !== undefined) throw fault;
    const { status, headers, body = '' } = response;
    const isHead = request.method === 'HEAD';
    const check = isOfBlobs ? checkBlobAnswer : checkAnswer;
    check({ status, headers, body: typeof body === 'string' ? Buffer.from(body) : body, isHead });
    return response;
  }
}
