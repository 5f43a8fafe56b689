// What the fuzzed services have in common: the account, a time that stands still, and texts in targets.
import { WELL_KNOWN_ACCOUNT } from '#server';

export const ACCOUNT = WELL_KNOWN_ACCOUNT;
export const DATE = 'Wed, 01 Jan 2020 01:02:00 GMT';
/** In ticks, as the services read it. */
export const NOW = BigInt(Date.parse(DATE)) * 10_000n;

/** Of any text. Halves of surrogate pairs have no UTF-8, and go out as U+FFFD. */
export const percentEncode = (text: string): string =>
  encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
