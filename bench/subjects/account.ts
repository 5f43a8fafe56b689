// The account of every server of an invocation: a name, and a key of its own each time.
import { randomBytes } from 'node:crypto';
import { accountSas } from './sas.js';

const KEY_BYTES = 64;

export interface Account {
  readonly name: string;
  /** For `AZURITE_ACCOUNTS`, which Shelfmark reads too. */
  readonly setting: string;
  readonly signature: string;
}

export function makeAccount(): Account {
  const name = 'bench';
  const key = randomBytes(KEY_BYTES).toString('base64');
  return { name, setting: `${name}:${key}`, signature: accountSas(name, key, Date.now()) };
}
