// Shared access signatures of tables: what they have of their own (protocol: sas#table-string, sas#key-ranges).
import { field, mandatory, parseServiceSas, refuse, type SasForm, type ServiceSas } from './sas.js';

type Query = ReadonlyMap<string, string>;

interface KeyBound {
  readonly partition: string;
  readonly key: string;
}

/**
 * Half-open over (PartitionKey, RowKey), ordinal by UTF-16 code unit: `from` is in the range, `until` is not; without
 * `until` it has no end. It has the shape of the store's scan ranges, so that they intersect.
 */
export interface KeyRange {
  readonly from: KeyBound;
  readonly until?: KeyBound | undefined;
}

const isBefore = (partition: string, key: string, bound: KeyBound): boolean =>
  partition < bound.partition || (partition === bound.partition && key < bound.key);

export function isInKeyRange(
  range: KeyRange,
  { partitionKey, rowKey }: { readonly partitionKey: string; readonly rowKey: string },
): boolean {
  if (isBefore(partitionKey, rowKey, range.from)) return false;
  return range.until === undefined || isBefore(partitionKey, rowKey, range.until);
}

/** The signature's bounds are inclusive; a row key bounds the rows of its partition key's partition only. Undefined without bounds. */
export function keyRangeIn(query: Query): KeyRange | undefined {
  const [spk, srk, epk, erk] = ['spk', 'srk', 'epk', 'erk'].map(name => field(query, name));
  if (srk !== undefined && spk === undefined) throw refuse('srk requires spk.');
  if (erk !== undefined && epk === undefined) throw refuse('erk requires epk.');
  if (spk === undefined && epk === undefined) return undefined;
  const from = { partition: spk ?? '', key: srk ?? '' };
  if (epk === undefined) return { from };
  // No string lies between a text and the same text with U+0000 behind it.
  const until = erk === undefined ? { partition: `${epk}\0`, key: '' } : { partition: epk, key: `${erk}\0` };
  return { from, until };
}

const FORM: SasForm = {
  kind: 'table',
  letters: /^[raud]+$/,
  resourceOf: query => mandatory(query, 'tn'),
  rangeOf: keyRangeIn,
};

/** @throws ServiceError AuthenticationFailed:Sas where a field is missing or malformed. */
export const parseTableSas = (query: Query, account: string): ServiceSas =>
  parseServiceSas(query, account, FORM);
