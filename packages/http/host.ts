// The host that a request is for, with its port: the one of an absolute target, else of the Host field, else the
// address that the client reached. Anything that is no host is refused, because links are made of it. request-head.ts
// reads the bytes.
import { isIPv6, type Socket } from 'node:net';

/** RFC 3986, 3.2.2, without users. No comma: a proxy would use it to join two fields. */
const HOST = /^(?:\[([\da-f:.]+)\]|(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})+)(?::(\d{0,5}))?$/i;
const PORT_MAX = 65_535;
const AUTHORITY = /^https?:\/\/([^/?#]*)/i;

export function isHost(text: string): boolean {
  const [whole, address, port = ''] = HOST.exec(text) ?? [];
  return whole !== undefined && (address === undefined || isIPv6(address)) && Number(port) <= PORT_MAX;
}

/** The prefix of an IPv4 address that comes as IPv6. */
export const MAPPED = /^::ffff:(?=\d+\.)/i;

/** The address and the port that the client reached. */
export function ownHostOf({ localAddress = '', localPort }: Socket): string {
  const address = localAddress.replace(MAPPED, '');
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}

/** What a connection knows about hosts. */
export interface HostReading {
  /** The last valid Host field; most come again. */
  knownHost: string;
  /** The default for a request without a host. */
  readonly ownHost: () => string;
}

/** The parts of a head that name the host. */
interface Addressed {
  readonly headers: { host?: string | undefined };
  readonly target: string;
  /** HTTP/1.0. */
  readonly isOld: boolean;
}

/** No field has this value: parsing removes the spaces around it. */
export const NO_HOST = ' ';

/**
 * Replaces the host that was sent with the one that counts (RFC 9112, 3.2.2).
 *
 * @returns false for an invalid host, and for HTTP/1.1 without one.
 */
export function settleHost({ headers, target, isOld }: Addressed, reading: HostReading): boolean {
  const { host: sent } = headers;
  if (sent === undefined ? !isOld : sent !== '' && !isHost(sent)) return false;
  const [, named] = AUTHORITY.exec(target) ?? [];
  if (named !== undefined && !isHost(named)) return false;
  headers.host = named ?? (sent || reading.ownHost());
  if (named === undefined && sent) reading.knownHost = sent;
  return true;
}
