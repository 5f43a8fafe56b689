// Parses the query of a target into its parameters, and caches the parameters of repeated queries. The cache key of a query with a signature
// is the query without it: the signature is a secret and is compared in constant time. The server checks whether it is valid.
import { ServiceError } from '#account';
import { detachedString, memo } from '#base';
import { RepeatedParameters } from './repeated-parameters.js';
import { SecretText } from './secret-text.js';

type Parameters = ReadonlyMap<string, string>;

/** Point queries and writes with a signature send the same query each time. */
const QUERIES_KEPT = { entriesMax: 1000, lengthMax: 512 };
const SIGNATURE = 'sig=';
const FURTHER_SIGNATURE = '&sig=';

/** Malformed escapes make the whole target invalid. */
export function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ServiceError('InvalidUri');
  }
}

/** A plus sign and `%20` both mean a space, except in the Base64 of `sig` (protocol: requests#query-strings). Of a name given twice the first counts. */
function parse(text: string): Parameters {
  const parameters = new Map<string, string>();
  let repeated: Set<string> | undefined;
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode((equals < 0 ? pair : pair.slice(0, equals)).replaceAll('+', ' '));
    const encoded = equals < 0 ? '' : pair.slice(equals + 1);
    const value = decode(name === 'sig' ? encoded : encoded.replaceAll('+', ' '));
    if (!parameters.has(name)) parameters.set(name, value);
    else repeated = (repeated ?? new Set()).add(name);
  }
  return repeated === undefined ? parameters : new RepeatedParameters(parameters, repeated);
}

interface Signed {
  readonly signature: SecretText;
  readonly parameters: Parameters;
}

/**
 * The same parsing, which gives the same object for a query that is still cached.
 */
export function remembered(
  parseAnew: (text: string) => Parameters,
  isKept: (text: string) => boolean = () => true,
): (text: string) => Parameters {
  /** The name may also be escaped, which no client does: such a query is parsed each time. */
  const parsePlain = memo(parseAnew, QUERIES_KEPT, parameters => !parameters.has('sig'));
  /** The key is the query without the signature's value. */
  const signed = new Map<string, Signed>();
  const parseSigned = (text: string, from: number): Parameters => {
    const next = text.indexOf('&', from);
    const until = next < 0 ? text.length : next;
    const rest = next < 0 ? text.slice(0, from) : text.slice(0, from) + text.slice(until);
    const known = signed.get(rest);
    if (known?.signature.isAt(text, from, until)) return known.parameters;
    const own = detachedString(text);
    const parameters = parseAnew(own);
    if (text.length > QUERIES_KEPT.lengthMax) return parameters;
    if (signed.size >= QUERIES_KEPT.entriesMax) signed.clear();
    signed.set(detachedString(rest), { signature: new SecretText(own.slice(from, until)), parameters });
    return parameters;
  };
  return text => {
    if (!isKept(text)) return parseAnew(text);
    if (text.startsWith(SIGNATURE)) return parseSigned(text, SIGNATURE.length);
    const at = text.indexOf(FURTHER_SIGNATURE);
    return at < 0 ? parsePlain(text) : parseSigned(text, at + FURTHER_SIGNATURE.length);
  };
}

export const parseQuery = remembered(parse);
