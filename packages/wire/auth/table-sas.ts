// Shared access signatures of tables: what they have of their own (protocol: sas#table-string, sas#key-ranges).
import { type KeyRange, keyRange } from './key-range.js';
import {
  field,
  mandatory,
  parseServiceSas,
  refuse,
  type SasGrammar,
  type ServiceSas,
  serviceSasStringToSign,
} from './sas.js';

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
