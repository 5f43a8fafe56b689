// Renders what an operation came to: status, body and the facts of its headers (protocol: responses#headers-by-answer,
// json#metadata-levels, entities).

import { type Output, openOutput } from '#base';
import type { Row } from '#store';
import { type EntityKey, escapeText, type Outcome, type WriteOutcome } from '#tables';
import { formatIdentifiers } from '../shared/access-policy-xml.js';
import type { Header } from '../shared/answer.js';
import { formatServiceProperties } from '../shared/service-properties-xml.js';
import { formatServiceStats } from '../shared/service-stats-xml.js';
import type { Answer } from './answer.js';
import { entityTokenHeaders, tableTokenHeaders } from './continuation.js';
import { type EntityPlace, EntityWriter, entityPath } from './entity/format-entity.js';
import { formatEtag } from './etag.js';
import type { MetadataLevel, ResponseFormat } from './response-format.js';

export const jsonContentType = (level: MetadataLevel): string =>
  `application/json;odata=${level};streaming=true;charset=utf-8`;

const CONTENT_TYPES: Readonly<Record<MetadataLevel, string>> = {
  nometadata: jsonContentType('nometadata'),
  minimalmetadata: jsonContentType('minimalmetadata'),
  fullmetadata: jsonContentType('fullmetadata'),
};
const NO_CONTENT = { status: 204, cacheControl: true, noSniff: true } as const;
const XML = { contentType: 'application/xml', cacheControl: false, noSniff: false } as const;

/** What the answers with entities or tables do not have in common. */
interface JsonFacts {
  readonly status?: 201 | undefined;
  readonly etag?: string | undefined;
  readonly location?: string | undefined;
  readonly more?: readonly Header[] | undefined;
}

/**
 * Of entities and tables: what is not ASCII stands escaped in it. All members are written out, because a literal that
 * spreads an object and adds to it gets a hidden class of its own at each call, and makes all who read it slow.
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

const metadata = (place: EntityPlace, of: string): string =>
  `"odata.metadata":"${escapeText(`${place.endpoint}/$metadata#${of}`)}"`;

function entityBody(row: Row, place: EntityPlace, format: ResponseFormat): Buffer | string {
  const first =
    format.level === 'nometadata'
      ? undefined
      : metadata(place, `${place.table}/@Element${format.selectSuffix}`);
  const output = openOutput(row.value.length);
  new EntityWriter(place, format, first).write(output, row, '');
  output.text('}');
  return output.end();
}

/** The entities of a query, written one by one as they are found. */
export class EntityList {
  readonly #writer: EntityWriter;
  readonly #opening: string;
  /** Not before there is an entity: many queries may wait for their turn. */
  #output: Output | undefined;

  constructor(place: EntityPlace, format: ResponseFormat) {
    const list = format.level === 'nometadata' ? '' : metadata(place, `${place.table}${format.selectSuffix}`);
    this.#opening = `{${list === '' ? '' : `${list},`}"value":[`;
    this.#writer = new EntityWriter(place, format);
  }

  /** The row may be another one afterwards. */
  add(row: Row): void {
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

function listOf(rows: readonly Row[], place: EntityPlace, format: ResponseFormat): EntityList {
  const list = new EntityList(place, format);
  for (const row of rows) list.add(row);
  return list;
}

/** A table's object; the form at full metadata follows OData, no recording has one (protocol: json#examples). */
function tableMembers(name: string, place: EntityPlace, format: ResponseFormat): string {
  const control =
    format.level === 'fullmetadata'
      ? `"odata.type":"${place.account}.Tables","odata.id":"${escapeText(`${place.endpoint}/Tables('${name}')`)}","odata.editLink":"Tables('${name}')",`
      : '';
  return `${control}"TableName":"${name}"`;
}

function tableBody(name: string, place: EntityPlace, format: ResponseFormat): string {
  const first = format.level === 'nometadata' ? '' : `${metadata(place, 'Tables/@Element')},`;
  return `{${first}${tableMembers(name, place, format)}}`;
}

function tablesBody(names: readonly string[], place: EntityPlace, format: ResponseFormat): string {
  const first = format.level === 'nometadata' ? '' : `${metadata(place, 'Tables')},`;
  return `{${first}"value":[${names.map(name => `{${tableMembers(name, place, format)}}`).join(',')}]}`;
}

/** What was made answers 201 with its content, or 204 where the caller wanted none; the place is said either way. */
function created(
  location: string,
  format: ResponseFormat,
  body: () => Buffer | string,
  etag?: string,
): Answer {
  if (format.prefer !== 'return-no-content') return json(format, body(), { status: 201, etag, location });
  return {
    status: 204,
    cacheControl: true,
    noSniff: true,
    etag,
    location,
    preferenceApplied: format.prefer,
    dataServiceId: true,
    dataServiceVersion: '3.0;',
  };
}

const DELETED: Answer = { ...NO_CONTENT, dataServiceVersion: '1.0;' };

export function formatWrite(outcome: WriteOutcome, place: EntityPlace, format: ResponseFormat): Answer {
  if (outcome.kind === 'deleted') return DELETED;
  if (outcome.kind === 'updated') {
    const etag = formatEtag(outcome.version);
    return { status: 204, cacheControl: true, noSniff: true, etag, dataServiceVersion: '1.0;' };
  }
  const { row } = outcome;
  const location = `${place.endpoint}/${entityPath(place.table, row)}`;
  const body = () => entityBody(row, place, { ...format, select: undefined, selectSuffix: '' });
  return created(location, format, body, formatEtag(row.version));
}

/** `next` is where the query goes on after the entities of the list. */
export const formatEntities = (
  list: EntityList,
  next: EntityKey | undefined,
  format: ResponseFormat,
): Answer => json(format, list.end(), { more: entityTokenHeaders(next) });

/** Everything but a transaction, whose outcomes are formatted one by one, as the parts of the answer. */
export function formatOutcome(outcome: Outcome, place: EntityPlace, format: ResponseFormat): Answer {
  switch (outcome.kind) {
    case 'transaction':
      throw new Error('A transaction is formatted part by part.');
    case 'entity':
      return json(format, entityBody(outcome.row, place, format), { etag: formatEtag(outcome.row.version) });
    case 'entities':
      return formatEntities(listOf(outcome.rows, place, format), outcome.next, format);
    case 'tables':
      return json(format, tablesBody(outcome.names, place, format), {
        more: tableTokenHeaders(outcome.next),
      });
    case 'table':
      return json(format, tableBody(outcome.name, place, format), {});
    case 'tableCreated': {
      const location = `${place.endpoint}/Tables('${outcome.name}')`;
      return created(location, format, () => tableBody(outcome.name, place, format));
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
      return formatWrite(outcome, place, format);
  }
}
