// An account SAS as clients send it (protocol: sas#account-string): authenticates every request of the benchmark.
import { createHmac } from 'node:crypto';

const VERSION = '2019-02-02';
const RIGHTS = 'rwdlacup';
const SERVICES = 'bqt';
const DAYS_VALID = 2;
const DAY_MILLISECONDS = 86_400_000;

/** The query of a signature for everything in the Blob, Queue and Table services of an account. `now` in milliseconds since 1970. */
export function accountSas(account: string, key: string, now: number): string {
  const expiry = `${new Date(now + DAYS_VALID * DAY_MILLISECONDS).toISOString().slice(0, 19)}Z`;
  const lines = [account, RIGHTS, SERVICES, 'sco', '', expiry, '', 'https,http', VERSION, ''];
  const signature = createHmac('sha256', Buffer.from(key, 'base64'))
    .update(lines.join('\n'))
    .digest('base64');
  const fields = {
    sv: VERSION,
    ss: SERVICES,
    srt: 'sco',
    sp: RIGHTS,
    se: expiry,
    spr: 'https,http',
    sig: signature,
  };
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}
