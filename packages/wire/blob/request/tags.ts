// Tags of a blob as a header and as a document, and their limits (protocol: blob-requests#tags).
import { BlobError, type Tags } from '#blobs';
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
import { type Headers, invalidHeader, sent } from './header-values.js';

const TAGS_MAX = 10;
const KEY_LENGTH_MAX = 128;
const VALUE_LENGTH_MAX = 256;
const CHARACTERS = /^[A-Za-z0-9 +\-./:=_]*$/;
const HEADER = 'x-ms-tags';

const NAMES = {
  root: new Set(['TagSet']),
  tag: new Set(['Key', 'Value']),
};

const byKey = ([one]: Tags[number], [other]: Tags[number]): number =>
  one < other ? -1 : one > other ? 1 : 0;

/** @throws BlobError TagsTooLarge, EmptyTagName, InvalidTag. */
function checked(tags: Tags): Tags {
  if (tags.length > TAGS_MAX) throw new BlobError('TagsTooLarge');
  for (const [key, value] of tags) {
    if (key === '') throw new BlobError('EmptyTagName');
    if (key.length > KEY_LENGTH_MAX || value.length > VALUE_LENGTH_MAX) throw new BlobError('TagsTooLarge');
    if (!CHARACTERS.test(key) || !CHARACTERS.test(value)) throw new BlobError('InvalidTag');
  }
  if (new Set(tags.map(([key]) => key)).size < tags.length) throw new BlobError('InvalidTag');
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
