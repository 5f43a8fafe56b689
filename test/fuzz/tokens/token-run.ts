// Attempts to get in, against the frame: the server must admit exactly those that the judge admits, and return only
// rows in the token's range.
import type fc from 'fast-check';
import { Accounts, issueToken, WELL_KNOWN_KEY } from '#server';
import { ROLES } from '#server/parts';
import { openMemoryStore } from '#store';
import { drawFrom } from '../../random/arbitrary.js';
import { answerOf, type DirectServer, directService } from '../../support/direct-service.js';
import { DATE, NOW, sign } from '../credentials.js';
import { checkAnswer } from '../direct/check-answer.js';
import type { World } from '../run/part.js';
import { ACCOUNTS, isLetIn, type Key, PARTITIONS, ROWS, TABLES } from './ask.js';
import { type Attempt, attempts, credentialOf, type Secrets, someGranted } from './attempt.js';
import { type Issued, isInRange, type Known, mayDo, type Presented, rangeOf, spellingOf } from './judge.js';
import { POLICIES, POLICY_DOCUMENT } from './policies.js';

/** The first account has two keys, the second one. */
const KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  [ACCOUNTS[0], [WELL_KNOWN_KEY, Buffer.alloc(32, 'second key').toString('base64')]],
  [ACCOUNTS[1], [Buffer.alloc(64, 'of another account').toString('base64')]],
]);

const NOW_MILLISECONDS = Number(NOW / 10_000n);
const HOUR = 3_600_000;

async function issueSome(accounts: Accounts): Promise<readonly (readonly [string, Issued])[]> {
  const some: (readonly [string, Issued])[] = [];
  for (const account of ACCOUNTS) {
    for (const role of ROLES) {
      for (const start of [-2 * HOUR, -HOUR, -HOUR / 2, HOUR]) {
        const from = NOW_MILLISECONDS + start;
        const request = { account, roles: [role], lifetimeSeconds: HOUR / 1_000 };
        const token = await issueToken(accounts, request, BigInt(from) * 10_000n);
        some.push([token, { account, role, from, until: from + HOUR }]);
      }
    }
  }
  return some;
}

export class TokenRun implements World<Attempt> {
  readonly #accounts = new Accounts(Object.fromEntries(KEYS));
  readonly #failures: unknown[] = [];
  readonly #known: Known;
  #secrets: Secrets;
  #service: DirectServer;

  private constructor(bearers: Secrets['bearers']) {
    const keys = new Map(
      [...KEYS].map(([name, texts]) => [name, texts.map(text => Buffer.from(text, 'base64'))]),
    );
    this.#secrets = { keys, bearers, granted: [] };
    const issued = new Map(bearers.map(([token, each]) => [spellingOf(token), each]));
    this.#known = { keys, now: NOW_MILLISECONDS, policies: POLICIES, issued };
    this.#service = this.#newService();
  }

  static async open(): Promise<TokenRun> {
    return new TokenRun(await issueSome(new Accounts(Object.fromEntries(KEYS))));
  }

  #newService(): DirectServer {
    const store = openMemoryStore({ clock: () => NOW });
    return directService(store, () => NOW, this.#failures, this.#accounts);
  }

  async #asOwner(account: string, method: string, path: string, query: string, body: string): Promise<void> {
    const target = `/${account}/${path}${query === '' ? '' : `?${query}`}`;
    const [key] = this.#known.keys.get(account) ?? [];
    const text = `${DATE}\n/${account}${target}`;
    const headers = {
      host: '127.0.0.1:10002',
      'x-ms-date': DATE,
      'content-length': String(Buffer.byteLength(body)),
      authorization: `SharedKeyLite ${account}:${sign(text, key)}`,
    };
    const { status, text: answered } = await this.#send(
      { method, target, headers, secure: true, remoteAddress: '127.0.0.1' },
      body,
    );
    if (status >= 300) throw new Error(`${method} ${target}: ${status} ${answered}`);
  }

  /** The same tables, entities and policies in both accounts, and new tokens for the callers. Call first. */
  async reset(seed: number): Promise<fc.Arbitrary<Attempt>> {
    this.#service = this.#newService();
    this.#secrets = { ...this.#secrets, granted: someGranted(drawFrom(seed), this.#secrets) };
    for (const account of ACCOUNTS) {
      for (const table of TABLES) {
        await this.#asOwner(account, 'POST', 'Tables', '', JSON.stringify({ TableName: table }));
        await this.#asOwner(account, 'PUT', table, 'comp=acl', POLICY_DOCUMENT);
        for (const PartitionKey of PARTITIONS)
          for (const RowKey of ROWS)
            await this.#asOwner(account, 'POST', table, '', JSON.stringify({ PartitionKey, RowKey }));
      }
    }
    return attempts(this.#secrets);
  }

  async #send(caller: Presented, body: string): Promise<{ readonly status: number; readonly text: string }> {
    const answer = await answerOf(this.#service.tables, { ...caller, body }, this.#failures);
    checkAnswer({ ...answer, isHead: false });
    return { status: answer.status, text: answer.body.toString() };
  }

  /** Resolves with the credential if the caller was let in. @throws if it should be otherwise. */
  async make({ ask, caller, body }: Attempt): Promise<readonly string[]> {
    const { status, text } = await this.#send(caller, body);
    const letIn = isLetIn(ask, status, text);
    const may = mayDo(ask, caller, this.#known);
    if (letIn !== may)
      throw new Error(`${letIn ? 'Let in' : 'Kept out'} against the rules: ${status} ${text}`);
    if (letIn && ask.kind === 'query') checkRows(caller, text);
    return letIn ? [`let in by ${credentialOf(caller)}`] : [];
  }
}

/** A header has no ranges; the query's fields mean nothing then. */
function checkRows(caller: Presented, text: string): void {
  const fields = caller.headers.authorization === undefined ? rangeOf(caller) : new Map<string, string>();
  const { value }: { value: readonly { PartitionKey: string; RowKey: string }[] } = JSON.parse(text);
  const shown = value.map(({ PartitionKey: partition, RowKey: row }): Key => ({ partition, row }));
  const isOfTable = !fields.has('ss') && !fields.has('srt');
  for (const partition of PARTITIONS) {
    for (const row of ROWS) {
      const isShown = shown.some(key => key.partition === partition && key.row === row);
      if (isShown !== (!isOfTable || isInRange(fields, { partition, row })))
        throw new Error(`(${partition}, ${row}) is ${isShown ? '' : 'not '}shown.`);
    }
  }
}
