// Attempts to access tables, against the frame: it admits exactly the callers that the judge admits, and returns only
// rows in the token's range.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Accounts, issueToken, WELL_KNOWN_KEY } from '#server';
import { ROLES } from '#server/parts';
import { drawFrom } from '../../random/arbitrary.js';
import { checkCases } from '../check-cases.js';
import { DATE, NOW } from '../world.js';
import { ACCOUNTS, isLetIn, type Key, PARTITIONS, ROWS, TABLES } from './ask.js';
import { attempts, credentialOf, type Secrets, someGranted } from './attempt.js';
import { Frame } from './frame.js';
import {
  type Issued,
  isInRange,
  type Known,
  mac,
  mayDo,
  type Presented,
  rangeOf,
  spellingOf,
} from './judge.js';
import { POLICIES, POLICY_DOCUMENT } from './policies.js';

const ATTEMPTS = 500;
/** Of keys, bearers, and both kinds of signatures. */
const CREDENTIALS_MIN = 4;
/** The first account has two keys, the second one. */
const KEYS: ReadonlyMap<string, readonly Buffer[]> = new Map([
  [ACCOUNTS[0], [Buffer.from(WELL_KNOWN_KEY, 'base64'), Buffer.alloc(32, 'second key')]],
  [ACCOUNTS[1], [Buffer.alloc(64, 'of another account')]],
]);
const MILLISECONDS = Number(NOW / 10_000n);
const HOUR = 3_600_000;

const accounts = new Accounts(
  Object.fromEntries([...KEYS].map(([name, keys]) => [name, keys.map(key => key.toString('base64'))])),
);

async function issueSome(): Promise<Secrets['bearers']> {
  const some: (readonly [string, Issued])[] = [];
  for (const account of ACCOUNTS)
    for (const role of ROLES)
      for (const start of [-2 * HOUR, -HOUR, -HOUR / 2, HOUR]) {
        const from = MILLISECONDS + start;
        const request = { account, roles: [role], lifetimeSeconds: HOUR / 1_000 };
        const token = await issueToken(accounts, request, BigInt(from) * 10_000n);
        some.push([token, { account, role, from, until: from + HOUR }]);
      }
  return some;
}

/** The same tables, entities and policies in both accounts. */
async function fill(frame: Frame): Promise<void> {
  for (const [account, [key = Buffer.alloc(0)]] of KEYS) {
    const make = (method: string, path: string, body: string): Promise<unknown> => {
      const target = `/${account}/${path}`;
      const signature = mac(key, `${DATE}\n/${account}${target}`).toString('base64');
      const headers = { 'x-ms-date': DATE, authorization: `SharedKeyLite ${account}:${signature}` };
      return frame.make('table', { method, target, headers }, body);
    };
    for (const table of TABLES) {
      await make('POST', 'Tables', JSON.stringify({ TableName: table }));
      await make('PUT', `${table}?comp=acl`, POLICY_DOCUMENT);
      for (const PartitionKey of PARTITIONS)
        for (const RowKey of ROWS) await make('POST', table, JSON.stringify({ PartitionKey, RowKey }));
    }
  }
}

/** A header has no ranges; the query's fields mean nothing then. */
function checkRows(caller: Presented, text: string): void {
  const fields = caller.headers.authorization === undefined ? rangeOf(caller) : new Map<string, string>();
  const { value }: { value: readonly { PartitionKey: string; RowKey: string }[] } = JSON.parse(text);
  const shown = value.map(({ PartitionKey: partition, RowKey: row }): Key => ({ partition, row }));
  const isOfTable = !fields.has('ss') && !fields.has('srt');
  for (const partition of PARTITIONS)
    for (const row of ROWS) {
      const isShown = shown.some(key => key.partition === partition && key.row === row);
      const isExpected = !isOfTable || isInRange(fields, { partition, row });
      assert.equal(isShown, isExpected, `(${partition}, ${row}) is ${isShown ? '' : 'not '}shown.`);
    }
}

test('only authorized callers get at tables, and only at the rows of their range', async () => {
  const bearers = await issueSome();
  const issued = new Map(bearers.map(([token, each]) => [spellingOf(token), each]));
  const known: Known = { keys: KEYS, now: MILLISECONDS, policies: POLICIES, issued };
  const letIn = new Set<string>();
  await checkCases(ATTEMPTS, async seed => {
    const secrets: Secrets = { keys: KEYS, bearers, granted: [] };
    const granted = someGranted(drawFrom(seed), secrets);
    const frame = new Frame(accounts);
    await fill(frame);
    return fc.asyncProperty(attempts({ ...secrets, granted }), async ({ ask, caller, body }) => {
      const { status, text } = await frame.send('table', caller, body);
      const isIn = isLetIn(ask, status, text);
      assert.equal(
        isIn,
        mayDo(ask, caller, known),
        `Let in, or kept out, against the rules: ${status} ${text}`,
      );
      if (isIn) letIn.add(credentialOf(caller));
      if (isIn && ask.kind === 'query') checkRows(caller, text);
    });
  });
  assert.ok(letIn.size >= CREDENTIALS_MIN, `Let in only by ${[...letIn].join()}.`);
});
