// Requests as values through the frame, one after another: the fast layer. Earlier runs of an epoch determine the state
// of the store.
import type fc from 'fast-check';
import { Accounts, issueToken, WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from '#server';
import { openMemoryStore } from '#store';
import { BODY_BYTES_MAX } from '../../../packages/server/frame/handle-request.js';
import { oneOf } from '../../random/arbitrary.js';
import { accountSas } from '../../simulation/run/signing.js';
import { answerOf, type DirectServer, directService } from '../../support/direct-service.js';
import { ACCOUNT, DATE, NOW, sharedKeyLite } from '../credentials.js';
import type { World } from '../run/part.js';
import { CONTAINERS } from '../texts/blob-text.js';
import { TABLES } from '../texts/operation-text.js';
import { checkAnswer } from './check-answer.js';
import { checkBlobAnswer } from './check-blob-answer.js';
import { BLOB_HOST, blobRequests } from './some-blob-request.js';
import { type FuzzRequest, HOST, tableRequests } from './some-request.js';

export const bearerToken = (): Promise<string> =>
  issueToken(
    new Accounts({ [WELL_KNOWN_ACCOUNT]: [WELL_KNOWN_KEY] }),
    { account: ACCOUNT, roles: ['Storage Account Contributor'], lifetimeSeconds: 3_600 },
    NOW,
  );

/** In the form in which a connection hands it on. */
const asWire = ({ method, target, headers, body }: FuzzRequest) => ({
  method,
  target,
  headers: { 'content-length': String(body.length), ...headers },
  body: body.length > BODY_BYTES_MAX ? '' : Buffer.from(body, 'latin1'),
  bodyTooLarge: body.length > BODY_BYTES_MAX,
});

const codeOf = (body: string): string => {
  const [, json = '', xml = json] = /"code":"(\w+)"|<(?:m:)?code>(\w+)/i.exec(body) ?? [];
  return xml;
};

export class DirectRun implements World<FuzzRequest> {
  /** Every third one is for blobs. */
  readonly #cases: fc.Arbitrary<FuzzRequest>;
  readonly #failures: unknown[] = [];
  #service: DirectServer;

  private constructor(bearer: string) {
    this.#cases = oneOf([2, tableRequests(bearer)], [1, blobRequests]);
    this.#service = this.#newService();
  }

  static async open(): Promise<DirectRun> {
    return new DirectRun(await bearerToken());
  }

  #newService(): DirectServer {
    return directService(openMemoryStore({ clock: () => NOW }), () => NOW, this.#failures);
  }

  /** An empty store, with the tables that requests mostly name. */
  async reset(): Promise<fc.Arbitrary<FuzzRequest>> {
    this.#service = this.#newService();
    for (const name of TABLES) {
      const target = `/${ACCOUNT}/Tables`;
      const authorization = sharedKeyLite({ method: 'POST', target, headers: {} });
      const headers = { host: HOST, 'x-ms-date': DATE, authorization };
      const body = JSON.stringify({ TableName: name });
      await answerOf(this.#service.tables, asWire({ method: 'POST', target, headers, body }));
    }
    for (const name of CONTAINERS) {
      const target = `/${ACCOUNT}/${name}?restype=container&${accountSas('b')}`;
      const headers = { host: BLOB_HOST, 'x-ms-version': '2021-12-02', 'content-length': '0' };
      await answerOf(this.#service.blobs, asWire({ method: 'PUT', target, headers, body: '' }));
    }
    return this.#cases;
  }

  async make(request: FuzzRequest): Promise<readonly string[]> {
    const isOfBlobs = request.service === 'blob';
    const service = isOfBlobs ? this.#service.blobs : this.#service.tables;
    const answer = await answerOf(service, asWire(request), this.#failures);
    const { status, body } = answer;
    const check = isOfBlobs ? checkBlobAnswer : checkAnswer;
    check({ ...answer, isHead: request.method === 'HEAD' });
    return [status < 400 ? `${status}` : `${status} ${codeOf(body.toString())}`];
  }
}
