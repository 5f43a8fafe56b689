// What a request must be before its session is looked at: addressed to this server by a name of its own, so that no DNS
// name can be pointed here (DNS rebinding), and sent by the explorer's own page, not by a page of another origin (CSRF).
import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopback } from '#base';

/** The name under which a browser reaches a server that listens on `host`, which may stand for every address. */
export function nameOf(host: string, certificate: X509Certificate | undefined): string {
  if (isLoopback(host) || certificate === undefined || isNamed(host, certificate)) return host;
  const { subjectAltName = '', subject } = certificate;
  const [, name = host] =
    /(?:DNS:|IP Address:|CN=)([^,\n*]+)$/m.exec(`${subjectAltName.replaceAll(', ', '\n')}\n${subject}`) ?? [];
  return name;
}

const isNamed = (name: string, certificate: X509Certificate | undefined): boolean =>
  (certificate?.checkHost(name) ?? certificate?.checkIP(name)) !== undefined;

/** Requests that change nothing; browsers send an Origin with all others. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

export class Guard {
  readonly #port: number;
  readonly #certificate: X509Certificate | undefined;

  /** @param certificate the server's own, whose names it may be called; undefined without TLS. */
  constructor(port: number, certificate: X509Certificate | undefined) {
    this.#port = port;
    this.#certificate = certificate;
  }

  get isSecure(): boolean {
    return this.#certificate !== undefined;
  }

  get #scheme(): string {
    return this.isSecure ? 'https' : 'http';
  }

  /** Whether the Host header names this server: loopback, or a name that its certificate vouches for. */
  isOwnHost({ headers: { host = '' } }: IncomingMessage): boolean {
    const origin = `${this.#scheme}://${host}`;
    if (!URL.canParse(origin)) return false;
    const { hostname, port, pathname, username } = new URL(origin);
    const given = port === '' ? (this.isSecure ? 443 : 80) : Number(port);
    if (given !== this.#port || pathname !== '/' || username !== '') return false;
    return isLoopback(hostname) || isNamed(hostname.replace(/^\[|\]$/g, ''), this.#certificate);
  }

  /** Whether the page that sends the request is the explorer's own. */
  isOwnPage({ method = '', headers: { host, origin, 'sec-fetch-site': site } }: IncomingMessage): boolean {
    if (site !== undefined && site !== 'same-origin') return false;
    return origin === undefined ? SAFE_METHODS.has(method) : origin === `${this.#scheme}://${host}`;
  }
}
