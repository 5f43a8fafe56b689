// The documents of Get User Delegation Key (protocol: sas#user-delegation-keys).
import { formatDateTime, parseDateTime, YEAR_ONE } from '#base';
import { BlobError } from '#blobs';
import { invalid, invalidValue, parseRoot, textOf, XML_HEAD, type XmlElement } from '../../shared/xml.js';

/** Ticks. */
interface KeyTimes {
  readonly start: bigint;
  readonly expiry: bigint;
}

const TICKS_A_SECOND = 10_000_000n;
/** Azure's maximum. */
const LIFETIME_MAX = 7n * 86_400n * TICKS_A_SECOND;

function timeOf(element: XmlElement | undefined): bigint | undefined {
  if (element === undefined) return undefined;
  const ticks = parseDateTime(textOf(element).trim(), YEAR_ONE);
  if (ticks === undefined) throw invalidValue(`${element.name} is not a time.`);
  return ticks - (ticks % TICKS_A_SECOND);
}

/** Without a start a key begins now. @throws ServiceError InvalidXmlDocument, InvalidXmlNodeValue, BlobError AuthenticationFailed. */
export function parseKeyInfo(body: Buffer, now: bigint): KeyTimes {
  const root = parseRoot(body, 'KeyInfo');
  const child = (name: string): XmlElement | undefined => root.children.find(each => each.name === name);
  // The server cannot check whether a token belongs to that tenant.
  if (child('DelegatedUserTid') !== undefined)
    throw new BlobError('AuthenticationFailed', { reason: 'There are no other tenants.' });
  const start = timeOf(child('Start')) ?? now - (now % TICKS_A_SECOND);
  const expiry = timeOf(child('Expiry'));
  if (expiry === undefined) throw invalid('There is no Expiry.');
  if (expiry <= start || expiry <= now || expiry - now > LIFETIME_MAX || start - now > LIFETIME_MAX)
    throw invalidValue('The key ends before it begins, or after seven days.');
  return { start, expiry };
}

interface UserDelegationKey extends KeyTimes {
  readonly objectId: string;
  readonly tenantId: string;
  readonly version: string;
  /** In base64. */
  readonly value: string;
}

/** As the key's fields come back in a signature. */
export const keyTimeText = (ticks: bigint): string => formatDateTime(ticks);

/** Starts with a byte order mark. */
export function formatUserDelegationKey(key: UserDelegationKey): string {
  const { objectId, tenantId, start, expiry, version, value } = key;
  const who = `<SignedOid>${objectId}</SignedOid><SignedTid>${tenantId}</SignedTid>`;
  const times = `<SignedStart>${keyTimeText(start)}</SignedStart><SignedExpiry>${keyTimeText(expiry)}</SignedExpiry>`;
  const what = `<SignedService>b</SignedService><SignedVersion>${version}</SignedVersion><Value>${value}</Value>`;
  return `${XML_HEAD}<UserDelegationKey>${who}${times}${what}</UserDelegationKey>`;
}
