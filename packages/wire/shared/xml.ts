// Reads XML documents into plain elements, strictly and exactly, and escapes text for writing them.
// Accepts well-formed XML 1.0 in UTF-8 without a document type: no entity can be declared, so none can expand.
// The only importer of `saxes`. Attributes are checked and dropped, as no document of the protocol has any. The callers interpret the documents.

import { SaxesParser } from 'saxes';
import { ServiceError } from '#account';

export interface XmlElement {
  /** With its prefix, if it has one. */
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** The element's own text, white space and CDATA included, without its children. */
  readonly text: string;
}

/** The characters that XML 1.0 section 2.2 forbids. */
const NO_CHARACTERS = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** The head of Azure's documents: a byte order mark, the declaration, no line break (protocol: documents#writing). */
export const XML_HEAD = '\ufeff<?xml version="1.0" encoding="utf-8"?>';

/** Texts that need no escaping and that parsing does not change. Texts with characters beyond U+FFFF count as not plain. */
const PLAIN = /^[\t\n -%'-;=?-\ud7ff\ue000-\ufffd]*$/;

/** Whether the text is the same inside and outside of a document: a fast path for nearly all texts. */
export const isPlainText = (text: string): boolean => PLAIN.test(text);

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' };

/** Characters that XML forbids, even as references, become U+FFFD. */
export function escapeXml(text: string): string {
  if (isPlainText(text)) return text;
  return text
    .replace(/[&<>\r]/g, character => ESCAPES[character] ?? character)
    .replace(NO_CHARACTERS, '\ufffd');
}

/**
 * The text of a message, character for character: clients of queues do not decode references to line breaks
 * (protocol: documents#writing).
 */
export function escapeXmlText(text: string): string {
  if (isPlainText(text)) return text;
  return text
    .replace(/[&<>]/g, character => ESCAPES[character] ?? character)
    .replace(NO_CHARACTERS, '\ufffd');
}

interface OpenElement {
  readonly name: string;
  readonly children: XmlElement[];
  text: string;
}

/** The maximum depth, more than any document of the protocol has. */
const DEPTH_MAX = 32;

const BLANK = /^[ \t\n\r]*$/;

/** @param shownReason the reason in the answer, where that is recorded. */
export const invalid = (reason: string, shownReason?: string): ServiceError =>
  new ServiceError('InvalidXmlDocument', shownReason === undefined ? { reason } : { reason, shownReason });
export const invalidValue = (reason: string): ServiceError =>
  new ServiceError('InvalidXmlNodeValue', { reason });

const malformed = (): ServiceError => new ServiceError('InvalidXmlDocument');

const malformedAt = (line: number, position: number): ServiceError =>
  new ServiceError('InvalidXmlDocument', { line, position });

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Whether the bytes are UTF-8 that may be cut off in a character. */
function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The refusal of bytes that are not UTF-8, with the place of the first character that is none. */
function notUtf8(body: Buffer): ServiceError {
  let [sound, broken] = [0, body.length + 1];
  while (broken - sound > 1) {
    const middle = (sound + broken) >> 1;
    if (isUtf8(body.subarray(0, middle))) sound = middle;
    else broken = middle;
  }
  const before = new TextDecoder().decode(body.subarray(0, sound), { stream: true });
  const lineStart = before.lastIndexOf('\n') + 1;
  return malformedAt(before.split('\n').length, before.length - lineStart + 1);
}

/** Without a byte order mark. @throws ServiceError InvalidXmlDocument. */
export function decodeUtf8(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw notUtf8(body);
  }
}

/** The root element of a document in UTF-8, with or without a byte order mark. @throws ServiceError InvalidXmlDocument. */
export function parseXml(body: Buffer): XmlElement {
  const source = decodeUtf8(body);
  const document: OpenElement = { name: '', children: [], text: '' };
  const open: OpenElement[] = [document];
  const parser = new SaxesParser();
  const append = (text: string): void => {
    const element = open.at(-1);
    if (element && element !== document) element.text += text;
  };
  const refuse = (): never => {
    throw malformedAt(parser.line, parser.column);
  };
  parser.on('error', refuse);
  parser.on('doctype', refuse);
  // XML 1.1 allows references to control characters, which no answer of the service could hold.
  parser.on('xmldecl', ({ version }) => {
    if (version !== '1.0') refuse();
  });
  parser.on('opentag', ({ name }) => {
    const element: OpenElement = { name, children: [], text: '' };
    open.at(-1)?.children.push(element);
    if (open.push(element) > DEPTH_MAX) refuse();
  });
  parser.on('text', append);
  parser.on('cdata', append);
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(source).close();
  const [root] = document.children;
  return root ?? refuse();
}

/** The root of a document that has a root of that name. @throws ServiceError InvalidXmlDocument. */
export function parseRoot(body: Buffer, name: string): XmlElement {
  const root = parseXml(body);
  if (root.name !== name) throw invalid(`The root is not ${name}.`);
  return root;
}

/** The text of an element that has no children. @throws ServiceError InvalidXmlDocument. */
export function textOf(element: XmlElement): string {
  if (element.children.length > 0) throw malformed();
  return element.text;
}

function checkNoText(element: XmlElement): void {
  if (!BLANK.test(element.text)) throw malformed();
}

/** The children of an element that allows one kind only. @throws ServiceError InvalidXmlDocument. */
export function listOf(element: XmlElement, name: string): readonly XmlElement[] {
  checkNoText(element);
  for (const child of element.children) if (child.name !== name) throw malformed();
  return element.children;
}

/** The children by name, in any order, each at most once, no others. @throws ServiceError InvalidXmlDocument. */
export function fieldsOf(element: XmlElement, names: ReadonlySet<string>): ReadonlyMap<string, XmlElement> {
  checkNoText(element);
  const fields = new Map<string, XmlElement>();
  for (const child of element.children) {
    if (!names.has(child.name) || fields.has(child.name)) throw malformed();
    fields.set(child.name, child);
  }
  return fields;
}
