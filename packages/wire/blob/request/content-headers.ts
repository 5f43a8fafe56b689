// The headers that become properties of a blob, its metadata and its tags, and what else a write of a whole blob sets
// (protocol: blob-requests#content-headers, blob-requests#tags).
import type { Metadata } from '#account';
import {
  BlobError,
  type ContentProperties,
  checkBlobMetadata,
  checkTags,
  type PublicAccess,
  type Tags,
  TIERS,
} from '#blobs';
import { parseMetadata } from '../../shared/storage-exchange.js';
import { elementOrEmpty } from '../../shared/storage-list-xml.js';
import {
  decodeUtf8,
  fieldsOf,
  invalid,
  listOf,
  parseRoot,
  textOf,
  XML_HEAD,
  type XmlElement,
} from '../../shared/xml.js';
import { type Headers, invalidHeader, sent, storedMd5Of } from './header-values.js';

const TYPE_DEFAULT = 'application/octet-stream';

/** Of the requests that set properties alone: what is not sent is cleared. */
export const contentPropertiesOf = (headers: Headers): ContentProperties => ({
  contentType: sent(headers, 'x-ms-blob-content-type'),
  contentEncoding: sent(headers, 'x-ms-blob-content-encoding'),
  contentLanguage: sent(headers, 'x-ms-blob-content-language'),
  contentDisposition: sent(headers, 'x-ms-blob-content-disposition'),
  cacheControl: sent(headers, 'x-ms-blob-cache-control'),
  contentMd5: storedMd5Of(headers, 'x-ms-blob-content-md5'),
});

/** The plain headers describe a body that is the content; the service's own headers win. */
export function propertiesOfBody(headers: Headers): ContentProperties {
  const own = contentPropertiesOf(headers);
  return {
    contentType: own.contentType ?? sent(headers, 'content-type') ?? TYPE_DEFAULT,
    contentEncoding: own.contentEncoding ?? sent(headers, 'content-encoding'),
    contentLanguage: own.contentLanguage ?? sent(headers, 'content-language'),
    contentDisposition: own.contentDisposition,
    cacheControl: own.cacheControl ?? sent(headers, 'cache-control'),
    contentMd5: own.contentMd5,
  };
}

const CONTENT_HEADERS = [
  'x-ms-blob-content-type',
  'x-ms-blob-content-encoding',
  'x-ms-blob-content-language',
  'x-ms-blob-content-disposition',
  'x-ms-blob-cache-control',
  'x-ms-blob-content-md5',
] as const;

/** What only page blobs have can be set alone; else all that is not sent is cleared. */
export function propertiesToSet(headers: Headers): ContentProperties | undefined {
  const isOfPagesAlone =
    ['x-ms-blob-content-length', 'x-ms-sequence-number-action'].some(name => sent(headers, name)) &&
    CONTENT_HEADERS.every(name => sent(headers, name) === undefined);
  return isOfPagesAlone ? undefined : contentPropertiesOf(headers);
}

/** @throws BlobError EmptyMetadataKey, InvalidMetadata, MetadataTooLarge. */
export function metadataOf(headers: Headers): Metadata {
  const metadata = parseMetadata(headers);
  checkBlobMetadata(metadata);
  return metadata;
}

/** Undefined where none is sent. */
export function metadataIfSent(headers: Headers): Metadata | undefined {
  const metadata = metadataOf(headers);
  return metadata.length === 0 ? undefined : metadata;
}

const TIER_NAMES: ReadonlyMap<string, string> = new Map([...TIERS].map(tier => [tier.toLowerCase(), tier]));

/** Clients send tiers in any case; answers have Azure's spelling (protocol: blobs#tiers). */
export const tierNamed = (text: string): string => TIER_NAMES.get(text.toLowerCase()) ?? text;

export function tierOf(headers: Headers): string | undefined {
  const text = sent(headers, 'x-ms-access-tier');
  return text === undefined ? undefined : tierNamed(text);
}

/** Of a blob whose content is not the request's body: the type is that of something else, such as a list of blocks. */
export const withType = (headers: Headers): ContentProperties => {
  const own = contentPropertiesOf(headers);
  return own.contentType === undefined ? { ...own, contentType: TYPE_DEFAULT } : own;
};

/** @throws BlobError InvalidHeaderValue. */
export function publicAccessOf(headers: Headers): PublicAccess {
  const name = 'x-ms-blob-public-access';
  const text = sent(headers, name);
  if (text === undefined) return 'private';
  const level = text.toLowerCase();
  if (level === 'container' || level === 'blob') return level;
  // The oldest versions' word for all of it.
  if (level === 'true') return 'container';
  throw invalidHeader(name, text);
}

const HEADER = 'x-ms-tags';

const NAMES = {
  root: new Set(['TagSet']),
  tag: new Set(['Key', 'Value']),
};

const byKey = ([one]: Tags[number], [other]: Tags[number]): number =>
  one < other ? -1 : one > other ? 1 : 0;

/** @throws BlobError TagsTooLarge, EmptyTagName, InvalidTag. */
function checked(tags: Tags): Tags {
  checkTags(tags);
  return [...tags].sort(byKey);
}

/** As in a query: `a=1&b=two%20words`. */
export function tagsOfHeader(headers: Headers): Tags {
  const text = sent(headers, HEADER);
  if (text === undefined) return [];
  try {
    const pairs = text
      .split('&')
      .map(pair => pair.split('=').map(part => decodeURIComponent(part.replaceAll('+', ' '))));
    if (pairs.some(pair => pair.length !== 2)) throw invalidHeader(HEADER, text);
    return checked(pairs.map(([key = '', value = '']): Tags[number] => [key, value]));
  } catch (error) {
    throw error instanceof URIError ? invalidHeader(HEADER, text) : error;
  }
}

const VERSION_OF_TAG_OPTION = '2021-04-10';
const TAG_OPTION = 'x-ms-copy-source-tag-option';
const COPY = 'COPY';

/** Whether the request names the source's tags, which needs rights of its own whether or not `copiesTags` refuses it. */
export const namesTagsOfSource = (headers: Headers): boolean => sent(headers, TAG_OPTION) === COPY;

/** Whether a copy has the tags of its source (protocol: blobs#copies). @throws BlobError InvalidHeaderValue, or if the request also sets tags. */
export function copiesTags(headers: Headers, version: string): boolean {
  const option = sent(headers, TAG_OPTION);
  if (option === undefined || version < VERSION_OF_TAG_OPTION || option === 'REPLACE') return false;
  if (option !== COPY) throw invalidHeader(TAG_OPTION, option);
  if (sent(headers, HEADER) !== undefined)
    throw new BlobError('BothUserTagsAndSourceTagsCopyPresentException');
  return true;
}

function tagOf(element: XmlElement): Tags[number] {
  const fields = fieldsOf(element, NAMES.tag);
  const [key, value] = [fields.get('Key'), fields.get('Value')];
  if (!key || !value) throw invalid('A tag has no Key or no Value.');
  return [textOf(key), textOf(value)];
}

/** @throws BlobError, ServiceError InvalidXmlDocument. */
export function parseTags(body: Buffer): Tags {
  if (decodeUtf8(body).trim() === '') throw invalid('There is no document.');
  const root = parseRoot(body, 'Tags');
  const set = fieldsOf(root, NAMES.root).get('TagSet');
  return checked(set ? listOf(set, 'Tag').map(tagOf) : []);
}

export function formatTagSet(tags: Tags): string {
  const items = tags.map(
    ([key, value]) => `<Tag>${elementOrEmpty('Key', key)}${elementOrEmpty('Value', value)}</Tag>`,
  );
  return `<Tags>${items.length === 0 ? '<TagSet />' : `<TagSet>${items.join('')}</TagSet>`}</Tags>`;
}

/** Starts with a byte order mark. */
export const formatTags = (tags: Tags): string => XML_HEAD + formatTagSet(tags);
