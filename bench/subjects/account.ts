// The account of every server of an invocation: a name, a key of its own each time, and an account SAS as clients send it (protocol:
// sas#account-string), which authenticates every request of the benchmark.
import { createHmac, randomBytes } from 'node:crypto';

export interface Account {
  readonly name: string;
  /** For `AZURITE_ACCOUNTS`, which Shelfmark reads too. */
  readonly setting: string;
  /** A query. */
  readonly signature: string;
}

const NAME = 'bench';
const KEY_BYTES = 64;
const VERSION = '2019-02-02';
const RIGHTS = 'rwdlacup';
const SERVICES = 'bqt';
const VALID_MILLISECONDS = 2 * 86_400_000;

export function makeAccount(): Account {
  const key = randomBytes(KEY_BYTES);
  const expiry = `${new Date(Date.now() + VALID_MILLISECONDS).toISOString().slice(0, 19)}Z`;
  const lines = [NAME, RIGHTS, SERVICES, 'sco', '', expiry, '', 'https,http', VERSION, ''];
  const sig = createHmac('sha256', key).update(lines.join('\n')).digest('base64');
  const fields = { sv: VERSION, ss: SERVICES, srt: 'sco', sp: RIGHTS, se: expiry, spr: 'https,http', sig };
  return {
    name: NAME,
    setting: `${NAME}:${key.toString('base64')}`,
    signature: String(new URLSearchParams(fields)),
  };
}
