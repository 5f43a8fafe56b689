// Parses the query of a target as the Blob and Queue services do: names are in lower case, and a plus sign is a space but in base64
// (protocol: requests#query-strings). Tables have their own rules, see parse-query.ts.
import { decode, remembered } from './parse-query.js';
import { RepeatedParameters } from './repeated-parameters.js';

/** Their values are base64, where a plus sign that a client forgot to encode can't be meant as a space. */
const IN_BASE64: ReadonlySet<string> = new Set(['blockid', 'popreceipt', 'sig']);

const withSpaces = (text: string): string => (text.includes('+') ? text.replaceAll('+', ' ') : text);

function parse(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals)).toLowerCase();
    const encoded = equals < 0 ? '' : pair.slice(equals + 1);
    const value = decode(IN_BASE64.has(name) ? encoded : withSpaces(encoded));
    const others = values.get(name);
    if (others) others.push(value);
    else values.set(name, [value]);
  }
  const parameters = new Map<string, string>();
  const repeated = new Set<string>();
  for (const [name, all] of values) {
    if (all.length > 1) repeated.add(name);
    parameters.set(name, all.length === 1 ? (all[0] ?? '') : all.sort().join(','));
  }
  return repeated.size === 0 ? parameters : new RepeatedParameters(parameters, repeated);
}

/**
 * A query with a receipt occurs once or twice, so it is not cached.
 *
 * @throws ServiceError InvalidUri for invalid escapes.
 */
export const parseStorageQuery = remembered(parse, text => !text.includes('popreceipt='));
