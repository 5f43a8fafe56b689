// Why a cluster could not be reached, in one sentence if known: what an operator has to change. Everything else is
// busy, and may pass; failure.ts explains failed requests.
import cassandra from 'cassandra-driver';
import { StoreError } from '#store';
import type { Access } from './access.js';
import { busy, messageOf } from './failure.js';

/** Codes of OpenSSL's checks (https://nodejs.org/docs/latest-v20.x/api/tls.html#x509-certificate-error-codes). */
const UNKNOWN_CA: ReadonlySet<unknown> = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_UNTRUSTED',
  'CERT_SIGNATURE_FAILURE',
]);
/** The peer answers in the clear to the first message of TLS. */
const NO_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER';
const NO_ANSWER = 'Nodes that speak TLS only end connections so: they need the option tls.';
/** A node that wants a certificate sends an alert once it has seen that there is none that it trusts. */
const ALERT = /^ERR_SSL_.*_ALERT_/;

/** A node that cannot read the users, because other nodes are down. */
const NO_ROLES = /^Unable to perform authentication/;

/** `unsupported` with a sentence of its own for permanent causes, `busy` for all others. */
export function refusalOf(error: unknown, shown?: Access): StoreError {
  for (const [host, inner] of failuresOf(error)) {
    const why = reasonOf(host, inner, shown);
    if (why !== undefined) return new StoreError('unsupported', why, error);
  }
  const isEnded =
    !shown?.certificates && failuresOf(error).some(([, inner]) => codeOf(inner) === 'ECONNRESET');
  const { message, code } = busy(error);
  return isEnded ? new StoreError(code, `${message}. ${NO_ANSWER}`, error) : busy(error);
}

function failuresOf(error: unknown): readonly (readonly [string, unknown])[] {
  return error instanceof cassandra.errors.NoHostAvailableError
    ? Object.entries(error.innerErrors ?? {})
    : [['The cluster', error]];
}

function reasonOf(host: string, error: unknown, shown: Access | undefined): string | undefined {
  if (error instanceof cassandra.errors.AuthenticationError && !NO_ROLES.test(error.message))
    return shown?.credentials
      ? `${host} does not take the user and password of SHELFMARK_CASSANDRA_USER: ${textOf(error)}.`
      : `${host} asks for a user and a password: give SHELFMARK_CASSANDRA_USER, and SHELFMARK_CASSANDRA_PASSWORD or SHELFMARK_CASSANDRA_PASSWORD_FILE.`;
  return tlsReasonOf(host, error);
}

function tlsReasonOf(host: string, error: unknown): string | undefined {
  const code = codeOf(error);
  if (code === NO_TLS) return `${host} does not speak TLS, which the option tls asks for.`;
  if (ALERT.test(code))
    return `${host} does not accept this program, by TLS: it asks for a certificate that it trusts, which the options cert and key name (${code}).`;
  if (UNKNOWN_CA.has(code))
    return `The certificate of ${host} is signed by nobody who is trusted: the option ca names the certificate of who signed it (${code}).`;
  if (code === 'CERT_HAS_EXPIRED') return `The certificate of ${host} has expired.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of ${host} does not name this address in subjectAltName: ${textOf(error)}.`;
  return undefined;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

const textOf = (error: unknown): string => messageOf(error).replace(/\.$/, '');
