// The stored access policies of a table or a queue: their form in memory and in the store (protocol: access-policies#document,
// access-policies#limits). The wire formats them as XML, the server evaluates what they grant.
import { decodeVersioned, encodeVersioned } from './versioned-json.js';

/** A field may be open; a signature that names the policy then supplies it. At least one field is given. */
export interface AccessPolicy {
  /** In ticks of 100 ns since 1970-01-01T00:00:00Z, as `expiry` is. */
  readonly start?: bigint | undefined;
  readonly expiry?: bigint | undefined;
  /** Letters of `raud` for a table, of `raup` for a queue, in the order in which they were sent. */
  readonly permission?: string | undefined;
}

export interface SignedIdentifier {
  /** 1 to 64 characters, unique in its table or queue. */
  readonly id: string;
  /** Undefined where every field is open: an empty policy reads back as none. */
  readonly policy: AccessPolicy | undefined;
}

const VERSION = 1;

/** JSON has no 64 bit integers, so ticks are stored as decimal text. */
interface StoredIdentifier {
  readonly id: string;
  readonly policy?: { readonly start?: string; readonly expiry?: string; readonly permission?: string };
}

/** `{"version":1,"value":[{"id":"a","policy":{"start":"<ticks>","expiry":"<ticks>","permission":"r"}}]}`, open fields left out. */
export function encodeIdentifiers(identifiers: readonly SignedIdentifier[]): Buffer {
  const stored = identifiers.map(({ id, policy }) => ({
    id,
    policy: policy && {
      start: policy.start?.toString(),
      expiry: policy.expiry?.toString(),
      permission: policy.permission,
    },
  }));
  return encodeVersioned(VERSION, stored);
}

/** @throws StoreError `corrupt` or `unsupported`. */
export function decodeIdentifiers(bytes: Buffer): readonly SignedIdentifier[] {
  return decodeVersioned(VERSION, bytes, 'Access policies', decodeList);
}

const decodeList = (value: unknown): readonly SignedIdentifier[] =>
  (value as readonly StoredIdentifier[]).map(({ id, policy }) => ({
    id,
    policy: policy && decodePolicy(policy),
  }));

const decodePolicy = ({
  start,
  expiry,
  permission,
}: NonNullable<StoredIdentifier['policy']>): AccessPolicy => ({
  start: start === undefined ? undefined : BigInt(start),
  expiry: expiry === undefined ? undefined : BigInt(expiry),
  permission,
});
