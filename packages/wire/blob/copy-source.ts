// The source of a copy: which URLs are of this server, and what they name (protocol: blob-requests#copy-sources). Whether the caller may read
// it is the server's to find out.
import { BlobError, checkBlobName, checkContainerName } from '#blobs';
import { type AccountNames, decode, parseTarget } from '../shared/target.js';
import { BLOB_GRAMMAR, type BlobRoute, blobAddressOf } from './blob-route.js';
import { type Headers, invalidHeader, required, snapshotOf } from './request/header-values.js';

const HEADER = 'x-ms-copy-source';
const ABSOLUTE = /^(https?):\/\/([^/?#]+)([^#]*)/i;
const LENGTH_MAX = 2048;
/** Names of one's own machine, and those by which a container of Docker calls it. */
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|host\.docker\.internal)$/i;
/** Query parameters that are secret or grant access. */
const SIGNATURE = /^(?:sig|s[etvprks]|sip|spr|srt?|ss|ses|si|sk\w+|saoid|suoid|scid|sdd)$/i;

export interface SourceUrl {
  readonly route: BlobRoute;
  /** Path and query, as a read of it would send them. */
  readonly target: string;
  readonly host: string;
  /** Without its signature. */
  readonly shownUrl: string;
  readonly container: string;
  readonly blob: string;
  readonly snapshot: bigint | undefined;
}

interface Place {
  readonly name: string;
  readonly port: string;
}

function placeOf(host: string, scheme: string): Place {
  const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(host.toLowerCase()) ?? [];
  return { name, port: port ?? (scheme === 'https' ? '443' : '80') };
}

/** What follows the first label, by which hosts of accounts are alike. */
const suffixOf = (name: string): string => name.slice(name.indexOf('.') + 1);

/** The host that the caller used, another name of this machine with the same port, or the host of another account of this server. */
function isOurs(source: Place, own: Place, accounts: AccountNames): boolean {
  if (source.port !== own.port) return false;
  if (source.name === own.name || (LOOPBACK.test(source.name) && LOOPBACK.test(own.name))) return true;
  const label = (name: string): string =>
    name.slice(0, Math.max(name.indexOf('.'), 0)).replace(/-secondary$/, '');
  return (
    accounts.has(label(source.name)) &&
    accounts.has(label(own.name)) &&
    suffixOf(source.name) === suffixOf(own.name)
  );
}

function withoutSignature(url: string): string {
  const [, address = '', query = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? [];
  const pairs = query.split('&').map(text => ({ text, name: decode(text.split('=', 1)[0] ?? '') }));
  if (!pairs.some(({ name }) => name.toLowerCase() === 'sig')) return url;
  const kept = pairs.filter(({ name }) => !SIGNATURE.test(name)).map(({ text }) => text);
  return `${address}${kept.length === 0 ? '' : `?${kept.join('&')}`}${fragment}`;
}

/**
 * @param request the one that copies.
 * @throws BlobError MissingRequiredHeader, InvalidHeaderValue, CannotVerifyCopySource for a URL of another server.
 */
export function parseSourceUrl(
  { headers, secure }: { readonly headers: Headers; readonly secure: boolean },
  accounts: AccountNames,
): SourceUrl {
  const url = required(headers, HEADER);
  const [, scheme = '', host = '', rest = ''] = ABSOLUTE.exec(url) ?? [];
  if (host === '' || url.length > LENGTH_MAX) throw invalidHeader(HEADER, url.slice(0, LENGTH_MAX));
  const own = placeOf(headers.host ?? '', secure ? 'https' : 'http');
  if (!isOurs(placeOf(host, scheme.toLowerCase()), own, accounts))
    throw new BlobError('CannotVerifyCopySource:Missing', {
      reason: `The source is on another server, ${host}.`,
    });
  const target = rest.startsWith('/') ? rest : `/${rest}`;
  const isSecure = scheme.toLowerCase() === 'https';
  const route = parseTarget({ target, headers: { host }, secure: isSecure }, accounts, BLOB_GRAMMAR);
  const { container, blob } = blobAddressOf(route);
  if (blob === '') throw invalidHeader(HEADER, withoutSignature(url));
  checkContainerName(container);
  checkBlobName(blob);
  return {
    route,
    target,
    host,
    shownUrl: withoutSignature(url),
    container,
    blob,
    snapshot: snapshotOf(route.query),
  };
}
