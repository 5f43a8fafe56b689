// Signs requests (protocol: authentication, sas): Shared Key Lite, an account SAS, a table SAS. For the emulator's account.
import { createHmac } from 'node:crypto';
import { WELL_KNOWN_ACCOUNT, WELL_KNOWN_KEY } from '#server';

const VERSION = '2019-02-02';
const EXPIRY = '2999-01-01T00:00:00Z';

const sign = (lines: readonly string[]): string =>
  createHmac('sha256', Buffer.from(WELL_KNOWN_KEY, 'base64')).update(lines.join('\n')).digest('base64');

/** The value of Authorization for a target from its slash on. */
export function sharedKeyLite(target: string, date: string): string {
  const [path = '', query = ''] = target.split('?');
  const comp = /(?:^|&)comp=([^&]*)/.exec(query)?.[1];
  const resource = `/${WELL_KNOWN_ACCOUNT}${path}${comp === undefined ? '' : `?comp=${comp}`}`;
  return `SharedKeyLite ${WELL_KNOWN_ACCOUNT}:${sign([date, resource])}`;
}

const PERMISSIONS = { t: 'rwdlacu', q: 'rwdlacup', b: 'rwdlact' } as const;

/** For the query: all permissions of an account, for tables, queues or blobs. */
export function accountSas(services: keyof typeof PERMISSIONS = 't'): string {
  const [permissions, types] = [PERMISSIONS[services], 'sco'];
  const sig = sign([WELL_KNOWN_ACCOUNT, permissions, services, types, '', EXPIRY, '', '', VERSION, '']);
  return new URLSearchParams({
    sv: VERSION,
    sp: permissions,
    ss: services,
    srt: types,
    se: EXPIRY,
    sig,
  }).toString();
}

/** For the query: all permissions on the entities of a table. */
export function tableSas(table: string): string {
  const resource = `/table/${WELL_KNOWN_ACCOUNT}/${table.toLowerCase()}`;
  const sig = sign(['raud', '', EXPIRY, resource, '', '', '', VERSION, '', '', '', '']);
  return new URLSearchParams({ sv: VERSION, sp: 'raud', se: EXPIRY, tn: table, sig }).toString();
}
