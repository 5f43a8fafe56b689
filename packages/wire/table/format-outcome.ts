// Renders outcomes of the Table service: status, body and the facts of the headers (protocol: responses#headers-by-answer,
// json#metadata-levels, entities).

import { type Output, openOutput } from '#base';
import { inPlace, type Row, type RowInPlace } from '#store';
import { type EntityKey, escapeText, type Outcome, type WriteOutcome } from '#tables';
import { formatIdentifiers } from '../shared/access-policy-xml.js';
import type { Header } from '../shared/answer.js';
import { formatServiceProperties, formatServiceStats } from '../shared/service-properties-xml.js';
import { type Answer, entityPath, formatEtag, type MetadataLevel, type ResponseFormat } from './answer.js';
import { entityTokenHeaders, tableTokenHeaders } from './continuation.js';
import { type BaseUrl, EntityWriter } from './entity/format-entity.js';

export const jsonContentType = (level: MetadataLevel): string =>
  `application/json;odata=${level};streaming=true;charset=utf-8`;

const CONTENT_TYPES: Readonly<Record<MetadataLevel, string>> = {
  nometadata: jsonContentType('nometadata'),
  minimalmetadata: jsonContentType('minimalmetadata'),
  fullmetadata: jsonContentType('fullmetadata'),
};
const NO_CONTENT = { status: 204, cacheControl: true, noSniff: true } as const;
const XML = { contentType: 'application/xml', cacheControl: false, noSniff: false } as const;

/** The facts in which answers with entities or tables differ. */
interface JsonFacts {
  readonly status?: 201 | undefined;
  readonly etag?: string | undefined;
  readonly location?: string | undefined;
  readonly more?: readonly Header[] | undefined;
}

/**
 * The answers with entities and tables, whose bodies escape non-ASCII characters. All members are written out, because a literal that
 * spreads an object and adds to it gets a hidden class of its own at each call, and slows down every reader.
 */
const json = (format: ResponseFormat, body: Buffer | string, facts: JsonFacts): Answer => ({
  status: facts.status ?? 200,
  contentType: CONTENT_TYPES[format.level],
  body,
  isAscii: true,
  etag: facts.etag,
  location: facts.location,
  preferenceApplied: facts.status === 201 ? format.prefer : undefined,
  more: facts.more,
  cacheControl: true,
  noSniff: true,
  dataServiceVersion: '3.0;',
});

const metadata = (base: BaseUrl, of: string): string =>
  `"odata.metadata":"${escapeText(`${base.endpoint}/$metadata#${of}`)}"`;

function entityBody(row: Row, base: BaseUrl, format: ResponseFormat): Buffer | string {
  const first =
    format.level === 'nometadata'
      ? undefined
      : metadata(base, `${base.resource.table}/@Element${format.selectSuffix}`);
  const output = openOutput(row.value.length);
  new EntityWriter(base, format, first).write(output, inPlace(row), '');
  output.text('}');
  return output.end();
}

/** Writes the entities of a query one by one, as the scan visits them. */
export class EntityList {
  readonly #writer: EntityWriter;
  readonly #opening: string;
  /** Created at the first entity, because many queries may be waiting. */
  #output: Output | undefined;

  constructor(base: BaseUrl, format: ResponseFormat) {
    const list =
      format.level === 'nometadata' ? '' : metadata(base, `${base.resource.table}${format.selectSuffix}`);
    this.#opening = `{${list === '' ? '' : `${list},`}"value":[`;
    this.#writer = new EntityWriter(base, format);
  }

  /** The row is valid during the call only. */
  add(row: RowInPlace): void {
    const before = this.#output === undefined ? this.#opening : '},';
    this.#output ??= openOutput();
    this.#writer.write(this.#output, row, before);
  }

  end(): Buffer | string {
    if (this.#output === undefined) return `${this.#opening}]}`;
    this.#output.text('}]}');
    return this.#output.end();
  }
}

function listOf(rows: readonly Row[], base: BaseUrl, format: ResponseFormat): EntityList {
  const list = new EntityList(base, format);
  for (const row of rows) list.add(inPlace(row));
  return list;
}

/** A table's object; the form at full metadata follows OData, no recording has one (protocol: json#examples). */
function tableMembers(name: string, base: BaseUrl, format: ResponseFormat): string {
  const control =
    format.level === 'fullmetadata'
      ? `"odata.type":"${base.account}.Tables","odata.id":"${escapeText(`${base.endpoint}/Tables('${name}')`)}","odata.editLink":"Tables('${name}')",`
      : '';
  return `${control}"TableName":"${name}"`;
}

function tableBody(name: string, base: BaseUrl, format: ResponseFormat): string {
  const first = format.level === 'nometadata' ? '' : `${metadata(base, 'Tables/@Element')},`;
  return `{${first}${tableMembers(name, base, format)}}`;
}

function tablesBody(names: readonly string[], base: BaseUrl, format: ResponseFormat): string {
  const first = format.level === 'nometadata' ? '' : `${metadata(base, 'Tables')},`;
  return `{${first}"value":[${names.map(name => `{${tableMembers(name, base, format)}}`).join(',')}]}`;
}

/** A creation whose caller prefers no content; others answer 201 with it. Both have the location. */
const createdWithoutContent = (location: string, etag?: string): Answer => ({
  status: 204,
  cacheControl: true,
  noSniff: true,
  etag,
  location,
  preferenceApplied: 'return-no-content',
  dataServiceVersion: '3.0;',
});

const DELETED: Answer = { ...NO_CONTENT, dataServiceVersion: '1.0;' };

export function formatWrite(outcome: WriteOutcome, base: BaseUrl, format: ResponseFormat): Answer {
  if (outcome.kind === 'deleted') return DELETED;
  if (outcome.kind === 'updated') {
    const etag = formatEtag(outcome.version);
    return { status: 204, cacheControl: true, noSniff: true, etag, dataServiceVersion: '1.0;' };
  }
  const { row } = outcome;
  const location = `${base.endpoint}/${entityPath(base.resource.table ?? '', row)}`;
  const etag = formatEtag(row.version);
  if (format.prefer === 'return-no-content') return createdWithoutContent(location, etag);
  const whole = { ...format, select: undefined, selectSuffix: '' };
  return json(format, entityBody(row, base, whole), { status: 201, etag, location });
}

/** `next` is the position where the query continues after the list. */
export const formatEntities = (
  list: EntityList,
  next: EntityKey | undefined,
  format: ResponseFormat,
): Answer => json(format, list.end(), { more: entityTokenHeaders(next) });

/** Every outcome except a transaction's, which are formatted one by one as the parts of the answer. */
export function formatOutcome(outcome: Outcome, base: BaseUrl, format: ResponseFormat): Answer {
  switch (outcome.kind) {
    case 'transaction':
      throw new Error('A transaction is formatted part by part.');
    case 'entity':
      return json(format, entityBody(outcome.row, base, format), { etag: formatEtag(outcome.row.version) });
    case 'entities':
      return formatEntities(listOf(outcome.rows, base, format), outcome.next, format);
    case 'tables':
      return json(format, tablesBody(outcome.names, base, format), {
        more: tableTokenHeaders(outcome.next),
      });
    case 'table':
      return json(format, tableBody(outcome.name, base, format), {});
    case 'tableCreated': {
      const location = `${base.endpoint}/Tables('${outcome.name}')`;
      if (format.prefer === 'return-no-content') return createdWithoutContent(location);
      return json(format, tableBody(outcome.name, base, format), { status: 201, location });
    }
    case 'tableDeleted':
      return NO_CONTENT;
    case 'acl':
      return { ...XML, status: 200, body: formatIdentifiers(outcome.identifiers) };
    case 'aclSet':
      return { status: 204, cacheControl: false, noSniff: false };
    case 'serviceProperties':
      return { ...XML, status: 200, body: formatServiceProperties(outcome.properties) };
    case 'servicePropertiesSet':
      return { status: 202, cacheControl: false, noSniff: false };
    case 'serviceStats':
      return { ...XML, status: 200, body: formatServiceStats(outcome.lastSync) };
    default:
      return formatWrite(outcome, base, format);
  }
}
