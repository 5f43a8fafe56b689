// Creates the URL of a table with a shared access signature of its own (docs/protocol/sas.md): permissions, an expiry
// time, an inclusive range of keys, a stored policy. The wire has the grammar and the string to sign, and validates the
// request before it is signed.
import { parseTableSas } from '#wire';
import type { Address } from '../source/address.js';
import { isTableName } from '../source/table-names.js';
import { ToolError } from '../source/tool-error.js';

export interface SasRequest {
  readonly table: string;
  /** Letters of raud; undefined if the policy has them. */
  readonly permissions: string | undefined;
  /** As `1h`, or a time; undefined if the policy has it. */
  readonly expires: string | undefined;
  /** PK or PK,RK. */
  readonly fromKey: string | undefined;
  readonly toKey: string | undefined;
  /** The id of a stored access policy. */
  readonly policy: string | undefined;
}

/** Covers the service in the resource, addresses and protocols. */
const VERSION = '2019-02-02';
const LETTERS = 'raud';
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
/** Stands in for the signature during validation. */
const NO_SIGNATURE = Buffer.alloc(32).toString('base64');

const usage = (message: string): ToolError => new ToolError('usage', message);

/** In the order of the service; each once. */
function permissionsOf(text: string): string {
  const isKnown = text !== '' && [...text].every(letter => LETTERS.includes(letter));
  if (!isKnown) throw usage(`--permissions takes letters of ${LETTERS}, not ${JSON.stringify(text)}.`);
  return [...LETTERS].filter(letter => text.includes(letter)).join('');
}

/** With seconds, as every version of the service reads it. @param now milliseconds since 1970. */
function expiryOf(text: string, now: number): string {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const time = count === undefined ? timeOf(text) : now + Number(count) * (UNITS[unit] ?? 0) * 1000;
  if (Number.isNaN(time))
    throw usage(
      `--expires takes 30m, 1h, 7d or a time as 2030-01-01T00:00:00Z, not ${JSON.stringify(text)}.`,
    );
  if (time <= now) throw usage('--expires is a time that has passed.');
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

const timeOf = (text: string): number =>
  /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z)?$/.test(text) ? Date.parse(text) : Number.NaN;

/** The first comma separates the keys; one after a backslash, which no Azure key contains, belongs to the key. */
function keysOf(text: string): readonly [partition: string, row: string | undefined] {
  const [, partition = '', row] = /^((?:[^\\,]|\\.)*)(?:,(.*))?$/s.exec(text) ?? [];
  return [partition.replaceAll('\\,', ','), row?.replaceAll('\\,', ',')];
}

function rangeFields({ fromKey, toKey }: SasRequest): readonly (readonly [string, string | undefined])[] {
  const [spk, srk] = fromKey === undefined ? [] : keysOf(fromKey);
  const [epk, erk] = toKey === undefined ? [] : keysOf(toKey);
  // An empty field means nothing to the service, and such a key is its least.
  if (epk === '') throw usage('--to-key needs a PartitionKey: a SAS cannot end at an empty one.');
  if (erk === '')
    throw usage('--to-key has an empty RowKey, at which a SAS cannot end: leave out the comma.');
  const isTurned =
    spk !== undefined &&
    epk !== undefined &&
    (spk > epk || (spk === epk && srk !== undefined && erk !== undefined && srk > erk));
  if (isTurned) throw usage('--from-key is behind --to-key: nothing lies between them.');
  return [
    ['spk', spk || undefined],
    ['srk', spk ? srk || undefined : undefined],
    ['epk', epk],
    ['erk', erk],
  ];
}

/**
 * The table's URL with the signature, which is a secret.
 *
 * @param now milliseconds since 1970.
 * @throws ToolError usage
 */
export function tableSasUrl(address: Address, request: SasRequest, now: number): string {
  const { table, permissions, expires, policy } = request;
  if (!address.hasKey)
    throw usage(
      "A SAS is signed with the account's key, and the address has none: give a connection string.",
    );
  if (policy === undefined && (permissions === undefined || expires === undefined))
    throw usage('Without --policy a SAS needs --permissions and --expires.');
  if (!isTableName(table)) throw usage(`${JSON.stringify(table)} is not a table name.`);
  const endpoint = address.endpoint('table');
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['sv', VERSION],
    ['tn', table],
    ['si', policy],
    ['sp', permissions === undefined ? undefined : permissionsOf(permissions)],
    ['se', expires === undefined ? undefined : expiryOf(expires, now)],
    ...rangeFields(request),
    ['spr', endpoint.startsWith('https:') ? 'https' : undefined],
  ];
  const query = new Map(fields.filter((each): each is [string, string] => each[1] !== undefined));
  const sas = parseTableSas(new Map([...query, ['sig', NO_SIGNATURE]]), address.account);
  query.set('sig', address.sign(sas.text));
  const text = [...query].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return `${endpoint}/${table}?${text}`;
}
