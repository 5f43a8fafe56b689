// How a cluster and this program authenticate to each other: a user with a password, from the environment, and
// certificates, from files. Read once, when a store is opened.
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { StoreError } from '#store';

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** Contents in PEM. */
export interface Certificates {
  readonly ca: Buffer | undefined;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
}

/** An undefined item is not presented. */
export interface Access {
  readonly credentials: Credentials | undefined;
  readonly certificates: Certificates | undefined;
}

interface Files {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

const refused = (why: string): StoreError => new StoreError('unsupported', why);

/**
 * @throws StoreError `unsupported` for variables that contradict each other, and for files that cannot be read or used.
 */
export function readAccess(tls: Files | undefined): Access {
  return { credentials: readCredentials(), certificates: tls && readCertificates(tls) };
}

/** An empty variable counts as absent. */
function readCredentials(): Credentials | undefined {
  const user = process.env.SHELFMARK_CASSANDRA_USER || undefined;
  const password = process.env.SHELFMARK_CASSANDRA_PASSWORD || undefined;
  const file = process.env.SHELFMARK_CASSANDRA_PASSWORD_FILE || undefined;
  if (password !== undefined && file !== undefined)
    throw refused(
      'SHELFMARK_CASSANDRA_PASSWORD and SHELFMARK_CASSANDRA_PASSWORD_FILE both say the password: leave out one of the two.',
    );
  const found = file === undefined ? password : passwordIn(file);
  if (user === undefined && found === undefined) return undefined;
  if (user === undefined || found === undefined)
    throw refused(
      'SHELFMARK_CASSANDRA_USER goes together with SHELFMARK_CASSANDRA_PASSWORD or SHELFMARK_CASSANDRA_PASSWORD_FILE.',
    );
  return { user, password: found };
}

/** Editors end a file with a line feed, which is not part of the password. */
function passwordIn(file: string): string {
  const password = read('SHELFMARK_CASSANDRA_PASSWORD_FILE', file)
    .toString()
    .replace(/\r?\n$/, '');
  if (password === '') throw refused(`SHELFMARK_CASSANDRA_PASSWORD_FILE names an empty file: ${file}.`);
  return password;
}

function readCertificates({ ca, cert, key }: Files): Certificates {
  const found = {
    ca: ca === undefined ? undefined : read('ca', ca),
    cert: cert === undefined ? undefined : read('cert', cert),
    key: key === undefined ? undefined : read('key', key),
  };
  try {
    createSecureContext(definedOf(found));
  } catch (error) {
    const names = [ca, cert, key].filter(name => name !== undefined).join(', ');
    throw refused(`No certificates and keys in PEM are in ${names}: ${textOf(error)}.`);
  }
  if (found.ca !== undefined && !found.ca.includes('-----BEGIN CERTIFICATE-----'))
    throw refused(`No certificate in PEM is in ${ca}.`);
  return found;
}

/** In the form for Node.js, which distinguishes `undefined` from absent. */
export const definedOf = (certificates: Certificates): { ca?: Buffer; cert?: Buffer; key?: Buffer } => ({
  ...(certificates.ca && { ca: certificates.ca }),
  ...(certificates.cert && { cert: certificates.cert }),
  ...(certificates.key && { key: certificates.key }),
});

function read(name: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw refused(`${name} names a file that cannot be read: ${textOf(error)}.`);
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
