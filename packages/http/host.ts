// The host that a request is for, with its port: the one of an absolute target, else of the Host field, else the address that the client
// reached. What is no host is refused, because links are made of it. The bytes are request-head.ts's.
import { isIPv6, type Socket } from 'node:net';

/** RFC 3986, 3.2.2, without users. No comma: it is how a proxy would make one field of two. */
const HOST = /^(?:\[([\da-f:.]+)\]|(?:[\w.~!$&'()*+;=-]|%[\da-f]{2})+)(?::(\d{0,5}))?$/i;
const PORT_MAX = 65_535;
const AUTHORITY = /^https?:\/\/([^/?#]*)/i;

export function isHost(text: string): boolean {
  const [whole, address, port = ''] = HOST.exec(text) ?? [];
  return whole !== undefined && (address === undefined || isIPv6(address)) && Number(port) <= PORT_MAX;
}

/** What stands before an IPv4 address that comes as IPv6. */
export const MAPPED = /^::ffff:(?=\d+\.)/i;

/** The address and the port that the client reached. */
export function ownHostOf({ localAddress = '', localPort }: Socket): string {
  const address = localAddress.replace(MAPPED, '');
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}

/** What a connection knows of hosts. */
export interface HostReading {
  /** The last Host field that was found to be one; most come again. */
  knownHost: string;
  /** In the place of one that was not named. */
  readonly ownHost: () => string;
}

/** What of a head says whom it is for. */
interface Addressed {
  readonly headers: { host?: string | undefined };
  readonly target: string;
  /** HTTP/1.0. */
  readonly isOld: boolean;
}

/** No field has it: the spaces around its value are gone. */
export const NO_HOST = ' ';

/**
 * Puts the host that counts in the place of the one that was sent (RFC 9112, 3.2.2).
 *
 * @returns false for what is no host, and where HTTP/1.1 names none.
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
