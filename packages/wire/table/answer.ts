// An answer: the form that its caller asks for (protocol: requests#headers, json#choosing-the-format, queries#projection), the facts that headers
// are made of, the texts of ETag and Location, and the response that they become, its headers in Azure's order (protocol: responses#order-of-headers).
// A part of a batch writes the same answer with other headers (batch/format-batch.ts), and format-outcome.ts has the bodies.
import { formatDateTime, memo, type WireResponse } from '#base';
import type { Row } from '#store';
import { TableError } from '#tables';
import { ECHO_SINCE, type Exchange, type Header } from '../shared/answer.js';

export type MetadataLevel = 'nometadata' | 'minimalmetadata' | 'fullmetadata';

export interface ResponseFormat {
  readonly level: MetadataLevel;
  /** The names asked for, as they were written; undefined for all, also where the option is empty. */
  readonly select: readonly string[] | undefined;
  /** The text after the table in `odata.metadata`: empty, or `&$select=` and the names. */
  readonly selectSuffix: string;
  readonly prefer: 'return-content' | 'return-no-content' | undefined;
}

/** Azure's maximum (protocol: queries#projection). */
const SELECT_NAMES_MAX = 255;
/** Clients send few different Accept headers. */
const TYPES_KEPT = { entriesMax: 100, lengthMax: 200 };
const LEVEL = /odata\s*=\s*"?(\w+)/i;
const LEVELS: ReadonlyMap<string, MetadataLevel> = new Map([
  ['nometadata', 'nometadata'],
  ['minimalmetadata', 'minimalmetadata'],
  ['fullmetadata', 'fullmetadata'],
]);

const levelOf = (type: string): MetadataLevel =>
  LEVELS.get(LEVEL.exec(type)?.[1]?.toLowerCase() ?? '') ?? 'minimalmetadata';

/** The first supported type; Atom alone is refused. */
const parseLevel = memo((wanted: string): MetadataLevel => {
  if (wanted === '') return 'minimalmetadata';
  for (const type of wanted.split(',')) {
    const name = type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
    if (name === 'application/json' || name === 'json') return levelOf(type);
    if (name === '*/*' || name === 'application/*') return 'minimalmetadata';
  }
  if (/atom|xml/i.test(wanted)) throw new TableError('AtomFormatNotSupported');
  throw new TableError('MediaTypeNotSupported');
}, TYPES_KEPT);

function parseSelect(text: string): Pick<ResponseFormat, 'select' | 'selectSuffix'> {
  const names = text.split(',').map(name => name.trim());
  if (names.length > SELECT_NAMES_MAX) throw new TableError('InvalidInput');
  const selectSuffix = `&$select=${names.join(',')}`;
  const all = text.trim() === '' || names.includes('*');
  return { select: all ? undefined : names.filter(name => name !== ''), selectSuffix };
}

/** The parts of a request, or of an operation in a batch, that decide the form of its answer. */
interface Asked {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

type Query = ReadonlyMap<string, string>;

function parsePrefer({ method, headers }: Asked): ResponseFormat['prefer'] {
  const prefer = method === 'POST' ? headers.prefer?.trim().toLowerCase() : undefined;
  return prefer === 'return-content' || prefer === 'return-no-content' ? prefer : undefined;
}

const plain = (level: MetadataLevel): ResponseFormat => ({
  level,
  select: undefined,
  selectSuffix: '',
  prefer: undefined,
});
/** The usual case: a level without projection. */
const PLAIN: Readonly<Record<MetadataLevel, ResponseFormat>> = {
  nometadata: plain('nometadata'),
  minimalmetadata: plain('minimalmetadata'),
  fullmetadata: plain('fullmetadata'),
};

/** @throws TableError for a format that is not served. */
export function parseResponseFormat(asked: Asked, query: Query): ResponseFormat {
  const level = parseLevel(query.get('$format') || asked.headers.accept || '');
  const select = query.get('$select');
  const prefer = parsePrefer(asked);
  if (select !== undefined) return { level, ...parseSelect(select), prefer };
  return prefer === undefined ? PLAIN[level] : { level, select, selectSuffix: '', prefer };
}

/** The $format in a target that may be malformed otherwise. */
const FORMAT_OPTION = /[?&](?:\$|%24)format=([^&]*)/;

/** For errors before the format is known: the format as far as it can be read. */
export function lenientFormat(asked: Asked, target: string): ResponseFormat {
  const format = FORMAT_OPTION.exec(target)?.[1]?.replaceAll(/%3d/gi, '=');
  return {
    level: levelOf(format || asked.headers.accept || ''),
    select: undefined,
    selectSuffix: '',
    prefer: parsePrefer(asked),
  };
}

export interface Answer {
  readonly status: number;
  readonly reason?: string | undefined;
  readonly contentType?: string | undefined;
  readonly body?: Buffer | string | undefined;
  /** The body is ASCII, so that its length in characters is its length in bytes. */
  readonly isAscii?: boolean | undefined;
  readonly etag?: string | undefined;
  /** With 204 it is repeated as DataServiceId. */
  readonly location?: string | undefined;
  readonly preferenceApplied?: string | undefined;
  /** Continuation tokens, or the headers of a preflight. */
  readonly more?: readonly Header[] | undefined;
  /** JSON operations have Cache-Control, except on early refusals (protocol: responses#headers-by-answer). */
  readonly cacheControl: boolean;
  /** X-Content-Type-Options: JSON operations always have it, XML ones never. */
  readonly noSniff: boolean;
  /** In parts of a batch only. */
  readonly dataServiceVersion?: '1.0;' | '3.0;' | undefined;
  /** The code, in a header on XML errors. */
  readonly errorCode?: string | undefined;
  readonly challenge?: string | undefined;
  /** Answers of failed authentication have neither the version nor the client's request id (protocol: responses#table-service). */
  readonly anonymous?: boolean | undefined;
}

const UNRESERVED = /^[\w.!~*()-]*$/;

/** `PartitionKey='a',RowKey='b'` as in the URLs of answers: quotes doubled, the rest percent-encoded (protocol: entities#keys-in-urls). */
export const encodeKey = (key: string): string =>
  UNRESERVED.test(key) ? key : encodeURIComponent(key.replaceAll("'", "''"));

export const entityPath = (table: string, { partition, key }: Pick<Row, 'partition' | 'key'>): string =>
  `${table}(PartitionKey='${encodeKey(partition)}',RowKey='${encodeKey(key)}')`;

/** A time in the form of an ETag: only the colons, whose positions are fixed, are percent-encoded. */
export const etagTime = (time: string): string =>
  `${time.slice(0, 13)}%3A${time.slice(14, 16)}%3A${time.slice(17)}`;

/** The ETag of a row's version (protocol: entities#etags). */
export const formatEtag = (version: bigint): string => `W/"datetime'${etagTime(formatDateTime(version))}'"`;

/** Names the program, as Azure's does; clients do not read it. */
const SERVER = 'Shelfmark-Table/1.0';

const NO_CACHE: Header = ['Cache-Control', 'no-cache'];
const SERVER_HEADER: Header = ['Server', SERVER];
const NO_SNIFF: Header = ['X-Content-Type-Options', 'nosniff'];

export function formatResponse(answer: Answer, exchange: Exchange): WireResponse {
  const { body = '', isAscii } = answer;
  const length = typeof body === 'string' && !isAscii ? Buffer.byteLength(body) : body.length;
  const headers: Header[] = [];
  if (answer.cacheControl) headers.push(NO_CACHE);
  headers.push(['Content-Length', String(length)]);
  if (answer.contentType !== undefined) headers.push(['Content-Type', answer.contentType]);
  if (answer.etag !== undefined) headers.push(['ETag', answer.etag]);
  if (answer.location !== undefined) headers.push(['Location', answer.location]);
  headers.push(SERVER_HEADER, ['x-ms-request-id', exchange.requestId]);
  if (answer.more) headers.push(...answer.more);
  if (!answer.anonymous) {
    headers.push(['x-ms-version', exchange.version]);
    if (exchange.clientRequestId !== undefined && exchange.version >= ECHO_SINCE) {
      headers.push(['x-ms-client-request-id', exchange.clientRequestId]);
    }
  }
  if (answer.noSniff) headers.push(NO_SNIFF);
  if (answer.preferenceApplied !== undefined) headers.push(['Preference-Applied', answer.preferenceApplied]);
  if (answer.status === 204 && answer.location !== undefined)
    headers.push(['DataServiceId', answer.location]);
  if (answer.errorCode !== undefined) headers.push(['x-ms-error-code', answer.errorCode]);
  if (answer.challenge !== undefined) headers.push(['WWW-Authenticate', answer.challenge]);
  return { status: answer.status, reason: answer.reason, headers, body: answer.body };
}
