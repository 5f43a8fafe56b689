// Bearer tokens: made by the local issuer, which signs with a key derived from the account's, or by a configured tenant, whose
// public keys are fetched. A token grants the roles that it names (roles.ts).
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeJwt,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
  SignJWT,
} from 'jose';
import { type Accounts, ConfigurationError } from './accounts.js';
import { isRole, type Role } from './roles.js';

/** Of all storage accounts, as Entra ID's tokens name it. */
export const STORAGE_AUDIENCE = 'https://storage.azure.com';
export const LOCAL_ISSUER = 'https://shelfmark.local';
/** Stands in the challenge where no tenant is configured. */
const NO_TENANT = '00000000-0000-0000-0000-000000000000';

export interface TenantOptions {
  /** The tenant's id, for the challenge that clients ask their token by. */
  readonly tenant: string;
  /** The token's `iss`, or those that it may have. */
  readonly issuer: string | readonly string[];
  /** Where the public keys are: a URL, or a file that holds a JSON Web Key Set. */
  readonly jwks: string;
  /** Default `https://storage.azure.com`, with and without a slash at its end. */
  readonly audience?: string | undefined;
  /** What a token without known roles grants: tenants usually assign roles outside of tokens. Default none. */
  readonly role?: Role | undefined;
}

/** A key for tokens, derived from the account's key, which it does not reveal. */
const localSecret = (accountKey: Buffer): Buffer =>
  createHmac('sha256', accountKey).update('shelfmark local token issuer').digest();

/**
 * Whether the token's signature is that of the key. Checked before the token is verified: node's own verification of an HMAC
 * used memcmp for years, whose timing reveals how much of a guess is right.
 */
function isSigned(token: string, secret: Buffer): boolean {
  const end = token.lastIndexOf('.');
  const signature = Buffer.from(token.slice(end + 1), 'base64url');
  const expected = createHmac('sha256', secret).update(token.slice(0, end)).digest();
  return expected.length === signature.length && timingSafeEqual(expected, signature);
}

const withBothEnds = (audience: string): string[] => {
  const bare = audience.replace(/\/$/, '');
  return [bare, `${bare}/`];
};

export interface TokenRequest {
  readonly account: string;
  readonly roles: readonly Role[];
  readonly lifetimeSeconds: number;
}

/** A token of the local issuer, signed with the account's first key. `now` is in ticks. */
export async function issueToken(
  accounts: Accounts,
  { account, roles, lifetimeSeconds }: TokenRequest,
  now: bigint,
): Promise<string> {
  const [key] = accounts.keys.get(account) ?? [];
  if (!key) throw new ConfigurationError(`There is no account '${account}'.`);
  const seconds = Number(now / 10_000_000n);
  return new SignJWT({ roles: [...roles] })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(LOCAL_ISSUER)
    .setSubject(account)
    .setAudience(STORAGE_AUDIENCE)
    .setIssuedAt(seconds)
    .setNotBefore(seconds)
    .setExpirationTime(seconds + lifetimeSeconds)
    .sign(localSecret(key));
}

function keySetOf(jwks: string): JWTVerifyGetKey {
  try {
    if (/^https?:\/\//.test(jwks)) return createRemoteJWKSet(new URL(jwks));
    return createLocalJWKSet(JSON.parse(readFileSync(jwks, 'utf8')));
  } catch (error) {
    throw new ConfigurationError(
      `${jwks} holds no JSON Web Key Set: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

const rolesOf = ({ roles }: JWTPayload): Role[] =>
  Array.isArray(roles) ? roles.filter((role): role is Role => typeof role === 'string' && isRole(role)) : [];

/** A token whose issuer is not configured. */
class UnknownIssuer extends Error {
  override readonly name = 'UnknownIssuer';
}

const ISSUER_DETAIL = 'Issuer validation failed. Issuer did not match.';

const DETAILS_BY_CLAIM: ReadonlyMap<string, string> = new Map([
  ['aud', 'Audience validation failed. Audience did not match.'],
  ['iss', ISSUER_DETAIL],
  ['nbf', 'Lifetime validation failed. The token is not yet valid.'],
]);

/** Azure's words for why a token does not hold, where they are known (protocol: authentication#bearer-tokens). */
export function bearerDetail(error: unknown): string | undefined {
  if (error instanceof UnknownIssuer) return ISSUER_DETAIL;
  if (error instanceof errors.JWTExpired) return 'Lifetime validation failed. The token is expired.';
  if (!(error instanceof errors.JWTClaimValidationFailed)) return undefined;
  // Of a claim that is there and says something else.
  return error.reason === 'check_failed' ? DETAILS_BY_CLAIM.get(error.claim) : undefined;
}

interface Tenant extends TenantOptions {
  readonly issuers: readonly string[];
  readonly keys: JWTVerifyGetKey;
}

export class BearerTokens {
  readonly #accounts: Accounts;
  readonly #tenants: readonly Tenant[];

  /** @throws ConfigurationError for a key set that cannot be read. */
  constructor(accounts: Accounts, tenants: readonly TenantOptions[] = []) {
    this.#accounts = accounts;
    this.#tenants = tenants.map(tenant => ({
      ...tenant,
      issuers: [tenant.issuer].flat(),
      keys: keySetOf(tenant.jwks),
    }));
  }

  /** The value of WWW-Authenticate, of the first tenant, that clients look for their authority in (protocol: authentication#no-credentials). */
  get challenge(): string {
    const tenant = this.#tenants[0]?.tenant ?? NO_TENANT;
    return `Bearer authorization_uri=https://login.microsoftonline.com/${tenant}/oauth2/authorize resource_id=${STORAGE_AUDIENCE}`;
  }

  /** The roles that a token grants on an account. Rejects, with a reason for the log, for any other token. */
  async verify(token: string, account: string, now: bigint, service: string): Promise<readonly Role[]> {
    const currentDate = new Date(Number(now / 10_000n));
    const audience = [
      ...withBothEnds(STORAGE_AUDIENCE),
      ...withBothEnds(`https://${account}.${service}.core.windows.net`),
    ];
    const { iss = '' } = decodeJwt(token);
    if (iss === LOCAL_ISSUER) return this.#verifyLocal(token, account, { audience, currentDate });
    const tenant = this.#tenants.find(each => each.issuers.includes(iss));
    if (tenant === undefined)
      throw new UnknownIssuer('The token is from neither the local issuer nor a configured tenant.');
    const { keys, role } = tenant;
    const accepted = tenant.audience === undefined ? audience : withBothEnds(tenant.audience);
    const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384'];
    const { payload } = await jwtVerify(token, keys, {
      issuer: iss,
      audience: accepted,
      currentDate,
      algorithms,
      requiredClaims: ['exp'],
    });
    const roles = rolesOf(payload);
    return roles.length === 0 && role !== undefined ? [role] : roles;
  }

  async #verifyLocal(
    token: string,
    account: string,
    options: { audience: string[]; currentDate: Date },
  ): Promise<readonly Role[]> {
    const keys = this.#accounts.keys.get(account) ?? [];
    const secret = keys.map(localSecret).find(each => isSigned(token, each));
    if (secret === undefined) throw new Error(`No key of the account ${account} signed the token.`);
    const expected = {
      ...options,
      issuer: LOCAL_ISSUER,
      subject: account,
      algorithms: ['HS256'],
      requiredClaims: ['exp'],
    };
    return rolesOf((await jwtVerify(token, secret, expected)).payload);
  }
}
