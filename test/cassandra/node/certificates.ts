// Certificates for a node and its clients, signed by an authority of their own; made by openssl in a new directory.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DAYS = '2';
const KEYSTORE_PASSWORD = 'keystore';

/** Names of files; everything except the stores is in PEM. */
export class Authority {
  readonly directory = mkdtempSync(join(tmpdir(), 'shelfmark-certificates-'));
  readonly ca: string;

  constructor(name: string) {
    this.ca = this.#file('ca.pem');
    this.#openssl(
      ...['req', '-x509', ...newKey(this.#file('ca.key')), '-out', this.ca, '-days', DAYS],
      ...['-subj', `/CN=${name}`, '-addext', 'keyUsage=critical,keyCertSign,cRLSign'],
    );
  }

  /** A certificate that names a host and an address. */
  sign(name: string, address: string): { readonly cert: string; readonly key: string } {
    const [cert, key] = [this.#file(`${name}.pem`), this.#file(`${name}.key`)];
    const [request, extensions] = [this.#file(`${name}.csr`), this.#file(`${name}.ext`)];
    writeFileSync(extensions, `subjectAltName=DNS:${name},IP:${address}\n`);
    this.#openssl('req', ...newKey(key), '-out', request, '-subj', `/CN=${name}`);
    this.#openssl(
      ...['x509', '-req', '-in', request, '-CA', this.ca, '-CAkey', this.#file('ca.key'), '-CAcreateserial'],
      ...['-out', cert, '-days', DAYS, '-extfile', extensions],
    );
    return { cert, key };
  }

  /** What a node's `client_encryption_options` name: its certificate, and whose certificates it takes from clients. */
  keystores(address: string): {
    readonly keystore: string;
    readonly truststore: string;
    readonly password: string;
  } {
    const { cert, key } = this.sign('node', address);
    const [keystore, truststore] = [this.#file('keystore.p12'), this.#file('truststore.p12')];
    const pass = ['-passout', `pass:${KEYSTORE_PASSWORD}`];
    this.#openssl('pkcs12', '-export', '-in', cert, '-inkey', key, '-out', keystore, ...pass);
    // Java takes a certificate without a key for trusted only where it is marked so, which its own tool does.
    execFileSync(
      'keytool',
      [
        ...['-importcert', '-noprompt', '-alias', 'ca', '-file', this.ca, '-keystore', truststore],
        ...['-storetype', 'PKCS12', '-storepass', KEYSTORE_PASSWORD],
      ],
      { stdio: 'pipe' },
    );
    return { keystore, truststore, password: KEYSTORE_PASSWORD };
  }

  #file(name: string): string {
    return join(this.directory, name);
  }

  #openssl(...args: readonly string[]): void {
    execFileSync('openssl', args, { stdio: 'pipe' });
  }
}

const newKey = (file: string): readonly string[] => [
  ...['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', file],
];
