// Attempts to access blobs by signatures, against the frame: it admits exactly those that the judge admits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Accounts, type Role } from '#server';
import { checkCases } from '../check-cases.js';
import { ACCOUNT, NOW } from '../world.js';
import {
  BLOBS,
  type BlobSecrets,
  blobAttempts,
  CONTAINERS,
  type DelegationKey,
  LOG,
} from './blob-attempt.js';
import { type BlobKnown, delegatedBy, mayDoWithBlobs } from './blob-judge.js';
import { Frame, type Reply } from './frame.js';
import { BLOB_POLICIES, policyDocument } from './policies.js';

const ATTEMPTS = 200;
/** Attempts of which some must succeed, or the others prove nothing. */
const LET_IN_SHARE = 0.04;
const KEYS = ['a key', 'a second key'].map(text => Buffer.alloc(64, text));
const accounts = new Accounts({ [ACCOUNT]: KEYS.map(key => key.toString('base64')) });
/** The permissions of a key's owner, by role. */
const ROLES: readonly (readonly [role: Role, letters: string])[] = [
  ['Storage Blob Data Owner', 'racwdlt'],
  ['Storage Blob Data Reader', 'rl'],
];
const PERIODS = [
  ['2019-12-31T00:00:00Z', '2020-01-05T00:00:00Z'],
  ['2020-01-01T02:00:00Z', '2020-01-05T00:00:00Z'],
] as const;
const KEY_FIELDS = {
  ...{ skoid: 'SignedOid', sktid: 'SignedTid', skt: 'SignedStart', ske: 'SignedExpiry' },
  ...{ sks: 'SignedService', skv: 'SignedVersion' },
};

interface Made {
  readonly method?: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
}

async function asRole(frame: Frame, role: Role, made: Made): Promise<Reply> {
  const { method = 'PUT', path, type, body } = made;
  const headers = {
    'x-ms-version': '2021-12-02',
    ...(await frame.bearer(ACCOUNT, role)),
    ...(type !== undefined && { 'x-ms-blob-type': type }),
  };
  return frame.make('blob', { method, target: `/${ACCOUNT}/${path}`, headers }, body);
}

async function keyOf(frame: Frame, role: Role, [start, expiry]: (typeof PERIODS)[number]) {
  const { text } = await asRole(frame, role, {
    method: 'POST',
    path: '?restype=service&comp=userdelegationkey',
    body: `<KeyInfo><Start>${start}</Start><Expiry>${expiry}</Expiry></KeyInfo>`,
  });
  const of = (name: string): string => new RegExp(`<${name}>([^<]*)<`).exec(text)?.[1] ?? '';
  const fields = new Map(Object.entries(KEY_FIELDS).map(([field, name]) => [field, of(name)]));
  return { fields, value: Buffer.from(of('Value'), 'base64') };
}

/** The same containers, blobs and keys. */
async function fill(frame: Frame): Promise<{ readonly secrets: BlobSecrets; readonly known: BlobKnown }> {
  const make = (made: Made): Promise<Reply> => asRole(frame, 'Storage Account Contributor', made);
  for (const container of CONTAINERS) {
    await make({ path: `${container}?restype=container` });
    await make({ path: `${container}?restype=container&comp=acl`, body: policyDocument(BLOB_POLICIES) });
    for (const blob of BLOBS) {
      const path = `${container}/${blob.split('/').map(encodeURIComponent).join('/')}`;
      await make({ path, type: 'BlockBlob', body: 'content' });
    }
    await make({ path: `${container}/${LOG}`, type: 'AppendBlob' });
  }
  const { headers } = await make({ path: `${CONTAINERS[0]}/${BLOBS[0]}?comp=snapshot` });
  const delegated: (readonly [DelegationKey, string])[] = [];
  for (const [role, letters] of ROLES)
    for (const period of PERIODS) delegated.push([await keyOf(frame, role, period), letters]);
  const byFields = delegated.map(
    ([{ fields, value }, letters]) => [delegatedBy(fields), { value, letters }] as const,
  );
  const common = { account: ACCOUNT, keys: KEYS };
  return {
    secrets: {
      ...common,
      delegated: delegated.map(([key]) => key),
      snapshot: headers.get('x-ms-snapshot') ?? '',
    },
    known: {
      ...common,
      now: Number(NOW / 10_000n),
      policies: BLOB_POLICIES,
      delegated: new Map(byFields),
    },
  };
}

test('only authorized callers get at blobs', async () => {
  const counts = { all: 0, letIn: 0 };
  await checkCases(ATTEMPTS, async () => {
    const frame = new Frame(accounts);
    const { secrets, known } = await fill(frame);
    return fc.asyncProperty(blobAttempts(secrets), async ({ ask, caller, body }) => {
      counts.all += 1;
      const { status, text } = await frame.send('blob', caller, body);
      // An invalid snapshot is refused as such, and a HEAD does not say so.
      if (status === 400 && /snapshot=/i.test(caller.target)) return;
      // 404, 409 and 412 reveal the state, which unauthorized callers never learn.
      const isIn = status < 300 || status === 404 || status === 409 || status === 412;
      assert.ok(isIn || [400, 401, 403].includes(status), `${status} ${text}`);
      const may = mayDoWithBlobs(ask, caller, known);
      assert.equal(isIn, may, `Let in, or kept out, against the rules: ${status} ${text}`);
      counts.letIn += isIn ? 1 : 0;
    });
  });
  assert.ok(counts.letIn >= LET_IN_SHARE * counts.all, JSON.stringify(counts));
});
