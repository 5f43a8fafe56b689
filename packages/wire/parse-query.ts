// Parses the query of a target into its parameters, and remembers those of queries that come again and again. One with a signature
// is looked up by all the rest of it: the signature is a secret, and is compared in a time that does not tell how much of it
// was right. Whether it holds is the server's matter.
import { TableError } from '#tables';
import { isSameSecret } from './auth/same-secret.js';
import { memo, ownText } from './memo.js';

type Parameters = ReadonlyMap<string, string>;

/** Point queries and writes with a signature send the same query each time. */
const QUERIES_KEPT = { entriesMax: 1000, lengthMax: 512 };
const SIGNATURE = 'sig=';

/** Malformed escapes make the whole target invalid. */
export function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new TableError('InvalidUri');
  }
}

/** A plus sign and `%20` both mean a space (table-rest.md 9.1). Of a name given twice the first counts. */
function parse(text: string): Parameters {
  const parameters = new Map<string, string>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode((equals < 0 ? pair : pair.slice(0, equals)).replaceAll('+', ' '));
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1).replaceAll('+', ' '));
    if (!parameters.has(name)) parameters.set(name, value);
  }
  return parameters;
}

/** Its name may be written with escapes too, which no client does: such a query is parsed each time. */
const parsePlain = memo(parse, QUERIES_KEPT, parameters => !parameters.has('sig'));

interface Signed {
  readonly signature: string;
  readonly parameters: Parameters;
}

/** By the query without the signature's value. */
const signedQueries = new Map<string, Signed>();

function parseSigned(text: string, from: number): Parameters {
  const next = text.indexOf('&', from);
  const until = next < 0 ? text.length : next;
  const signature = text.slice(from, until);
  const rest = text.slice(0, from) + text.slice(until);
  const known = signedQueries.get(rest);
  if (known !== undefined && isSameSecret(known.signature, signature)) return known.parameters;
  const own = ownText(text);
  const parameters = parse(own);
  if (text.length > QUERIES_KEPT.lengthMax) return parameters;
  if (signedQueries.size >= QUERIES_KEPT.entriesMax) signedQueries.clear();
  signedQueries.set(ownText(rest), { signature: own.slice(from, until), parameters });
  return parameters;
}

/** The same object for a query that came before, unless much came in between. */
export function parseQuery(text: string): Parameters {
  const at = text.startsWith(SIGNATURE) ? 0 : text.indexOf(`&${SIGNATURE}`) + 1;
  return at > 0 || text.startsWith(SIGNATURE) ? parseSigned(text, at + SIGNATURE.length) : parsePlain(text);
}
