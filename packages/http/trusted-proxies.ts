// Requests that come through a proxy which ends TLS: their origin, from the fields that the proxy adds, X-Forwarded-*
// or Forwarded (RFC 7239). Only fields of listed proxies are trusted; entries of several proxies are read from the
// nearest one on.
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { WireRequest, WireResponse } from '#base';
import { isHost, MAPPED } from './host.js';
import type { Respond } from './listener-context.js';
import { HeaderFields } from './request-head.js';

/** What one proxy states about the sender of a request. */
interface Hop {
  readonly for?: string | undefined;
  readonly proto?: string | undefined;
  readonly host?: string | undefined;
}

/** The origin of a request. */
type Origin = Pick<WireRequest, 'remoteAddress' | 'secure'> & { readonly host: string | undefined };

type Headers = WireRequest['headers'];

/** Stands for an address that a proxy hides: it is in no range, and not this machine's. */
const HIDDEN_ADDRESS = 'unknown';
/** `for=192.0.2.1`, `;`, and a comma between the entries of two proxies; values may be quoted. */
const PAIR =
  /[ \t]*(?:([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[\t !#-[\]-~]|\\[\t -~])*)")|)[ \t]*([;,]|$)/y;
/** An address with a port, or in brackets. */
const NODE = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::[\w.-]+)?$/i;
const BAD_REQUEST: WireResponse = { status: 400, headers: [['Content-Length', '0']], body: undefined };

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

/** Undefined if it is no address. */
function addressOf(node: string): string | undefined {
  const [, inBrackets, withPort] = NODE.exec(node) ?? [];
  const address = (isIP(node) === 0 ? (inBrackets ?? withPort ?? '') : node).replace(MAPPED, '');
  return isIP(address) === 0 ? undefined : address;
}

const listOf = (text: string | undefined): readonly string[] =>
  text === undefined ? [] : text.split(',').map(each => each.trim());

/** Each list may have an entry for each proxy; a shorter one is the nearest proxy's. */
function hopsOfLists({
  'x-forwarded-for': addresses,
  'x-forwarded-proto': schemes,
  'x-forwarded-host': hosts,
}: Headers): readonly Hop[] {
  const fors = listOf(addresses);
  const at = (list: readonly string[], i: number): string | undefined =>
    list.length === fors.length ? list[i] : list.at(-1);
  const [protos, names] = [listOf(schemes), listOf(hosts)];
  if (fors.length > 0)
    return fors.map((node, i) => ({ for: node, proto: at(protos, i), host: at(names, i) }));
  return protos.length + names.length > 0 ? [{ proto: protos.at(-1), host: names.at(-1) }] : [];
}

/** Undefined for a field that is malformed. */
function hopsOfForwarded(text: string | undefined): readonly Hop[] | undefined {
  if (text === undefined) return [];
  const hops: Record<string, string>[] = [{}];
  PAIR.lastIndex = 0;
  for (;;) {
    const match = PAIR.exec(text);
    if (!match) return undefined;
    const [, name, token, quoted, end] = match;
    const hop = hops.at(-1);
    if (name !== undefined && hop) {
      const key = name.toLowerCase();
      if (Object.hasOwn(hop, key)) return undefined;
      hop[key] = token ?? (quoted ?? '').replace(/\\(.)/g, '$1');
    }
    if (end === '') return hops.filter(each => Object.keys(each).length > 0);
    if (end === ',') hops.push({});
  }
}

/**
 * Both kinds of fields may be present: one is the proxy's, the other may come from anyone. They must not contradict
 * each other.
 */
function merged(one: Origin | undefined, other: Origin | undefined, peer: Origin): Origin | undefined {
  if (!one || !other) return one ?? other ?? peer;
  const isSame = one.remoteAddress === other.remoteAddress && one.secure === other.secure;
  const isSameHost = one.host === undefined || other.host === undefined || one.host === other.host;
  return isSame && isSameHost ? { ...one, host: one.host ?? other.host } : undefined;
}

export class TrustedProxies {
  readonly #list = new BlockList();

  /**
   * @param ranges addresses, or ranges of them as `10.0.0.0/8`, of IPv4 and IPv6.
   * @throws RangeError for anything else.
   */
  constructor(ranges: readonly string[]) {
    for (const range of ranges) {
      const [address = '', prefix, ...more] = range.split('/');
      const bits = isIPv6(address) ? 128 : 32;
      const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
      if (isIP(address) === 0 || !isPrefix || more.length > 0)
        throw new RangeError(`${JSON.stringify(range)} is neither an address nor a range of addresses.`);
      this.#list.addSubnet(address, prefix === undefined ? bits : Number(prefix), familyOf(address));
    }
  }

  has(address: string): boolean {
    const plain = address.replace(MAPPED, '');
    return isIP(plain) !== 0 && this.#list.check(plain, familyOf(plain));
  }

  /** Hands on requests of such a proxy as those of its clients. Refuses contradicting or unreadable fields. */
  unwrap(respond: Respond): Respond {
    return request => {
      const origin = this.#originOf(request);
      if (!origin) return Promise.resolve(BAD_REQUEST);
      const { remoteAddress, secure, host } = origin;
      const headers =
        host === undefined ? request.headers : Object.assign(new HeaderFields(), request.headers, { host });
      return respond({ ...request, headers, remoteAddress, secure });
    };
  }

  /** Undefined where it cannot be known. */
  #originOf({ headers, remoteAddress, secure }: WireRequest): Origin | undefined {
    const peer = { remoteAddress, secure, host: undefined };
    const forwarded = hopsOfForwarded(headers.forwarded);
    return (
      forwarded && merged(this.#nearest(forwarded, peer), this.#nearest(hopsOfLists(headers), peer), peer)
    );
  }

  /** The first address that is not a trusted proxy, from the nearest on; undefined if no field states one. */
  #nearest(hops: readonly Hop[], peer: Origin): Origin | undefined {
    let index = hops.length - 1;
    while (index > 0 && this.has(addressOf(hops[index]?.for ?? '') ?? '')) index -= 1;
    const hop = hops[index];
    if (!hop) return undefined;
    const proto = hop.proto?.toLowerCase();
    return {
      remoteAddress: hop.for === undefined ? peer.remoteAddress : (addressOf(hop.for) ?? HIDDEN_ADDRESS),
      secure: proto === 'https' || (proto !== 'http' && peer.secure),
      host: hop.host !== undefined && isHost(hop.host) ? hop.host : undefined,
    };
  }
}
