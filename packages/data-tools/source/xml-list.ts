// Lists that services answer in XML, page by page: names, properties and metadata of queues, containers and blobs. This
// file has the common frame; the readers of entries have their content.
import { parseXml, type XmlElement } from '#wire';
import { BadAnswer, type Endpoint, failureOf } from './endpoint.js';
import type { Answer } from './transport.js';

/** The first version with blob tags (docs/protocol/blob-requests.md). */
export const LIST_VERSION = '2019-12-12';

export const childOf = ({ children }: XmlElement, name: string): XmlElement | undefined =>
  children.find(each => each.name === name);

export const textIn = (element: XmlElement, name: string): string => childOf(element, name)?.text ?? '';

/** Texts by name, with their case: the content of Metadata. */
export const textsIn = (element: XmlElement | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries((element?.children ?? []).map(({ name, text }) => [name, text]));

/**
 * Services write carriage returns of texts raw (docs/protocol/documents.md), which XML reads as line feeds unless they
 * are references.
 */
function withReturns(body: Buffer): Buffer {
  if (!body.includes('\r')) return body;
  const text = body.toString('utf8').trimEnd();
  const root = text.search(/<[A-Za-z]/);
  return Buffer.from(text.slice(0, root) + text.slice(root).replaceAll('\r', '&#xD;'));
}

/** The document of an answer. @throws BadAnswer, if it is cut or invalid. */
export function documentOf({ body }: Pick<Answer, 'body'>): XmlElement {
  try {
    return parseXml(withReturns(body));
  } catch {
    throw new BadAnswer('an answer in XML cannot be read');
  }
}

/** XML does not allow U+FFFE and U+FFFF: names with them are percent-encoded and marked by an attribute, which the parser drops. */
function decodedNames(body: Buffer): Buffer {
  const text = body.toString('utf8');
  if (!text.includes('<Name Encoded="true">')) return body;
  return Buffer.from(text.replace(/<Name Encoded="true">([^<]*)<\/Name>/g, '<EncodedName>$1</EncodedName>'));
}

/** The name of an entry. */
export function nameIn(element: XmlElement): string {
  const encoded = childOf(element, 'EncodedName');
  return encoded === undefined ? textIn(element, 'Name') : decodeURIComponent(encoded.text);
}

export interface ListOptions {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The element that has the entries. */
  readonly entries: string;
  /** Its name in messages. */
  readonly what: string;
}

export interface ListPage {
  readonly entries: readonly XmlElement[];
  /** Where the next page begins; undefined after the last. */
  readonly next: string | undefined;
}

/** One page; a marker of '' is the start. @throws ToolError denied, if the address does not allow what the query includes. */
export async function listPage(
  endpoint: Endpoint,
  { path, query, entries, what }: ListOptions,
  marker: string,
): Promise<ListPage> {
  const { value } = await endpoint.send({
    method: 'GET',
    path,
    query: { comp: 'list', ...query, ...(marker !== '' && { marker }) },
    headers: { 'x-ms-version': LIST_VERSION },
    read: answer => {
      if (answer.status !== 200) throw failureOf(endpoint, what, answer);
      const document = documentOf({ body: decodedNames(answer.body) });
      const next = textIn(document, 'NextMarker');
      return { entries: childOf(document, entries)?.children ?? [], next: next === '' ? undefined : next };
    },
  });
  return value;
}

/** All pages. */
export async function* listPages(endpoint: Endpoint, options: ListOptions): AsyncGenerator<ListPage, void> {
  for (let marker: string | undefined = ''; marker !== undefined; ) {
    const page: ListPage = await listPage(endpoint, options, marker);
    yield page;
    marker = page.next;
  }
}
