// Shared access signatures of tables: what they have of their own (protocol: sas#table-string, sas#key-ranges).
import {
  field,
  mandatory,
  parseServiceSas,
  refuse,
  type SasGrammar,
  type ServiceSas,
  serviceSasStringToSign,
} from './sas.js';

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

/** The signature's bounds are inclusive; a row key bounds the rows of its partition key's partition only. */
export interface SignedBounds {
  /** spk, srk, epk, erk; undefined where not given. */
  readonly firstPartition: string | undefined;
  readonly firstRow: string | undefined;
  readonly lastPartition: string | undefined;
  readonly lastRow: string | undefined;
}

/** Undefined without bounds. */
export function keyRange(bounds: SignedBounds): KeyRange | undefined {
  const { firstPartition, firstRow, lastPartition, lastRow } = bounds;
  if (firstPartition === undefined && lastPartition === undefined) return undefined;
  return {
    from: { partition: firstPartition ?? '', key: firstRow ?? '' },
    until: lastPartition === undefined ? undefined : after(lastPartition, lastRow),
  };
}

/** No string lies between a text and the same text with U+0000 behind it. */
function after(lastPartition: string, lastRow: string | undefined): KeyBound {
  return lastRow === undefined
    ? { partition: `${lastPartition}\0`, key: '' }
    : { partition: lastPartition, key: `${lastRow}\0` };
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

const RANGE_FIELDS = ['spk', 'srk', 'epk', 'erk'];
export const TABLE_SAS_FIELDS: readonly string[] = ['tn', ...RANGE_FIELDS];

function parseRange(query: ReadonlyMap<string, string>): KeyRange | undefined {
  const bounds = {
    firstPartition: field(query, 'spk'),
    firstRow: field(query, 'srk'),
    lastPartition: field(query, 'epk'),
    lastRow: field(query, 'erk'),
  };
  if (bounds.firstRow !== undefined && bounds.firstPartition === undefined) throw refuse('srk requires spk.');
  if (bounds.lastRow !== undefined && bounds.lastPartition === undefined) throw refuse('erk requires epk.');
  return keyRange(bounds);
}

const GRAMMAR: SasGrammar = {
  fields: TABLE_SAS_FIELDS,
  letters: /^[raud]+$/,
  resourceOf: query => mandatory(query, 'tn'),
  rangeOf: parseRange,
};

/** @throws ServiceError AuthenticationFailed:Sas where a field is missing or malformed. */
export const parseTableSas = (query: ReadonlyMap<string, string>): ServiceSas =>
  parseServiceSas(query, GRAMMAR);

/** The table is signed in lower case. */
export const tableSasStringToSign = (sas: ServiceSas, account: string): string =>
  serviceSasStringToSign({ ...sas, resource: sas.resource.toLowerCase() }, account, 'table', RANGE_FIELDS);
