// Attempts to access blobs by signatures: the server must admit exactly those that the judge admits.
import type fc from 'fast-check';
import { Accounts, issueToken, type Role } from '#server';
import { openMemoryStore } from '#store';
import { answerOf, type DirectServer, directService } from '../../support/direct-service.js';
import { ACCOUNT, NOW } from '../credentials.js';
import { checkBlobAnswer } from '../direct/check-blob-answer.js';
import type { World } from '../run/part.js';
import { credentialOf } from '../tokens/attempt.js';
import type { Presented } from '../tokens/judge.js';
import { BLOB_POLICIES, policyDocument } from '../tokens/policies.js';
import {
  BLOBS,
  type BlobAttempt,
  type BlobSecrets,
  blobAttempts,
  CONTAINERS,
  type DelegationKey,
  LOG,
} from './blob-attempt.js';
import { type BlobKnown, delegatedBy, mayDoWithBlobs } from './blob-judge.js';

const KEYS = ['a key', 'a second key'].map(text => Buffer.alloc(64, text));
const VERSION = '2021-12-02';
/** The permissions of a key's owner, by role. */
const ROLES: readonly (readonly [role: Role, letters: string])[] = [
  ['Storage Blob Data Owner', 'racwdlt'],
  ['Storage Blob Data Reader', 'rl'],
];
const PERIODS = [
  ['2019-12-31T00:00:00Z', '2020-01-05T00:00:00Z'],
  ['2020-01-01T02:00:00Z', '2020-01-05T00:00:00Z'],
] as const;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const headerOf = (headers: readonly (readonly [string, string])[], wanted: string): string =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '';

export class BlobTokenRun implements World<BlobAttempt> {
  readonly #accounts = new Accounts({ [ACCOUNT]: KEYS.map(key => key.toString('base64')) });
  readonly #failures: unknown[] = [];
  #service: DirectServer = this.#newService();
  #secrets: BlobSecrets = { account: ACCOUNT, keys: KEYS, delegated: [], snapshot: '' };
  #known: BlobKnown = this.#knowing([]);

  #newService(): DirectServer {
    const store = openMemoryStore({ clock: () => NOW });
    return directService(store, () => NOW, this.#failures, this.#accounts);
  }

  #knowing(delegated: readonly (readonly [DelegationKey, string])[]): BlobKnown {
    const keys = delegated.map(
      ([{ fields, value }, letters]) => [delegatedBy(fields), { value, letters }] as const,
    );
    const now = Number(NOW / 10_000n);
    return { account: ACCOUNT, keys: KEYS, now, policies: BLOB_POLICIES, delegated: new Map(keys) };
  }

  async #send(caller: Presented, body: string) {
    const answer = await answerOf(this.#service.blobs, { ...caller, body }, this.#failures);
    checkBlobAnswer({ ...answer, isHead: caller.method === 'HEAD' });
    return { ...answer, text: answer.body.toString() };
  }

  async #asRole(role: Role, { method, path, headers = {}, body = '' }: Asked) {
    const token = await issueToken(
      this.#accounts,
      { account: ACCOUNT, roles: [role], lifetimeSeconds: 3600 },
      NOW,
    );
    const caller: Presented = {
      method,
      target: `/${ACCOUNT}/${path}`,
      headers: {
        host: '127.0.0.1:10000',
        authorization: `Bearer ${token}`,
        'x-ms-version': VERSION,
        'content-length': String(Buffer.byteLength(body)),
        ...headers,
      },
      secure: true,
      remoteAddress: '127.0.0.1',
    };
    const answer = await this.#send(caller, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  async #keyOf(role: Role, [start, expiry]: (typeof PERIODS)[number]): Promise<DelegationKey> {
    const { text } = await this.#asRole(role, {
      method: 'POST',
      path: '?restype=service&comp=userdelegationkey',
      body: `<KeyInfo><Start>${start}</Start><Expiry>${expiry}</Expiry></KeyInfo>`,
    });
    const of = (name: string): string => new RegExp(`<${name}>([^<]*)<`).exec(text)?.[1] ?? '';
    const names = { skoid: 'SignedOid', sktid: 'SignedTid', skt: 'SignedStart', ske: 'SignedExpiry' };
    const all = { ...names, sks: 'SignedService', skv: 'SignedVersion' };
    const fields = new Map(Object.entries(all).map(([field, name]) => [field, of(name)]));
    return { fields, value: Buffer.from(of('Value'), 'base64') };
  }

  /** Creates the same containers and blobs. Call first. */
  async reset(): Promise<fc.Arbitrary<BlobAttempt>> {
    this.#service = this.#newService();
    const owner = (asked: Asked) => this.#asRole('Storage Account Contributor', asked);
    for (const container of CONTAINERS) {
      await owner({ method: 'PUT', path: `${container}?restype=container` });
      await owner({
        method: 'PUT',
        path: `${container}?restype=container&comp=acl`,
        body: policyDocument(BLOB_POLICIES),
      });
      for (const blob of BLOBS) {
        const path = `${container}/${blob.split('/').map(encodeURIComponent).join('/')}`;
        await owner({ method: 'PUT', path, headers: { 'x-ms-blob-type': 'BlockBlob' }, body: 'content' });
      }
      await owner({
        method: 'PUT',
        path: `${container}/${LOG}`,
        headers: { 'x-ms-blob-type': 'AppendBlob' },
      });
    }
    const { headers } = await owner({ method: 'PUT', path: `${CONTAINERS[0]}/${BLOBS[0]}?comp=snapshot` });
    const delegated: [DelegationKey, string][] = [];
    for (const [role, letters] of ROLES)
      for (const period of PERIODS) delegated.push([await this.#keyOf(role, period), letters]);
    const snapshot = headerOf(headers, 'x-ms-snapshot');
    this.#secrets = { ...this.#secrets, delegated: delegated.map(([key]) => key), snapshot };
    this.#known = this.#knowing(delegated);
    return blobAttempts(this.#secrets);
  }

  /** Resolves with the credential if the caller was let in. @throws if it should be otherwise. */
  async make({ ask, caller, body }: BlobAttempt): Promise<readonly string[]> {
    const { status, text, headers } = await this.#send(caller, body);
    // An invalid snapshot is refused as such, and a HEAD does not say so.
    if (status === 400 && /snapshot=/i.test(caller.target)) return [];
    // 404, 409 and 412 reveal the state, which unauthorized callers never learn.
    const letIn = status < 300 || status === 404 || status === 409 || status === 412;
    if (!letIn && ![400, 401, 403].includes(status)) throw new Error(`${status} ${text}`);
    if (letIn !== mayDoWithBlobs(ask, caller, this.#known))
      throw new Error(
        `${letIn ? 'Let in' : 'Kept out'} against the rules: ${status} ${headerOf(headers, 'x-ms-error-code')} ${text}`,
      );
    return letIn ? [`let in by ${credentialOf(caller)}`] : [];
  }
}
