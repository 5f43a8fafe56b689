// Reads XML documents into plain elements, strictly and exactly, and escapes text for writing them.
// Takes well-formed XML 1.0 in UTF-8 without a document type: no entity can be declared, so nothing can expand.
// Attributes are checked and dropped, as no document of the protocol has any. What a document means is left to others.
import { TableError } from '#tables';

export interface XmlElement {
  /** With its prefix, if it has one. */
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** What stands between the element's own tags, white space and CDATA included, children left out. */
  readonly text: string;
}

/** What XML 1.0 section 2.2 does not take as a character. */
const NO_CHARACTER = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const NO_CHARACTERS = new RegExp(NO_CHARACTER, 'gu');

/** The head of Azure's documents: a byte order mark, the declaration, no line break (table-rest.md 8.12). */
export const XML_HEAD = '\ufeff<?xml version="1.0" encoding="utf-8"?>';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#xD;' };

/** Characters that XML cannot hold, not even as references, turn into U+FFFD. */
export function escapeXml(text: string): string {
  return text
    .replace(/[&<>\r]/g, character => ESCAPES[character] ?? character)
    .replace(NO_CHARACTERS, '\ufffd');
}

interface OpenElement {
  readonly name: string;
  readonly children: XmlElement[];
  text: string;
}

const NAME = '[\\p{L}\\p{Nl}_:][\\p{L}\\p{Nl}\\p{Nd}\\p{Mn}\\p{Mc}_:.·-]*';
const ATTRIBUTE = `\\s+(${NAME})\\s*=\\s*("[^"<]*"|'[^'<]*')`;
const DECLARATION = /<\?xml\s+version\s*=\s*(["'])1\.\d\1(?:\s+\w+\s*=\s*(?:"[\w.-]*"|'[\w.-]*'))*\s*\?>/y;
const START_TAG = new RegExp(`<(${NAME})((?:${ATTRIBUTE})*)\\s*(/?)>`, 'uy');
const END_TAG = new RegExp(`</(${NAME})\\s*>`, 'uy');
const ATTRIBUTES = new RegExp(ATTRIBUTE, 'gu');
const INSTRUCTION_TARGET = new RegExp(`<\\?(?!xml[\\s?])${NAME}(?=[\\s?])`, 'iuy');
const REFERENCE = /&(?:#x([\da-fA-F]{1,6})|#(\d{1,7})|(lt|gt|amp|apos|quot));/y;
const TEXT = /[^<&]+/y;

const BLANK = /^[ \t\n\r]*$/;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', apos: "'", quot: '"' };

const malformed = (): TableError => new TableError('InvalidXmlDocument');

class XmlReader {
  readonly #source: string;
  #at = 0;
  /** The document itself, then the elements whose end tag is to come; the last of them is `#open`. */
  readonly #ancestors: OpenElement[] = [];
  #open: OpenElement = { name: '', children: [], text: '' };

  constructor(source: string) {
    this.#source = source;
  }

  /** The root element. */
  read(): XmlElement {
    this.#match(DECLARATION);
    while (this.#at < this.#source.length) this.#readNext();
    const [root] = this.#open.children;
    const alone = this.#ancestors.length === 0 && this.#open.children.length === 1;
    if (!root || !alone || !BLANK.test(this.#open.text)) throw malformed();
    return root;
  }

  #readNext(): void {
    if (this.#starts('<![CDATA[')) this.#append(this.#enclosed('<![CDATA[', ']]>'));
    else if (this.#starts('<!--')) this.#readComment();
    else if (this.#starts('<?')) this.#readInstruction();
    else if (this.#starts('</')) this.#readEndTag();
    else if (this.#starts('<')) this.#readStartTag();
    else if (this.#starts('&')) this.#append(decodeReference(this.#expect(REFERENCE)));
    else this.#readText();
  }

  #starts(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source);
    if (match) this.#at += match[0].length;
    return match ?? undefined;
  }

  #expect(pattern: RegExp): RegExpExecArray {
    const match = this.#match(pattern);
    if (!match) throw malformed();
    return match;
  }

  /** What stands between `before`, which is next, and the first `after`. */
  #enclosed(before: string, after: string): string {
    const from = this.#at + before.length;
    const until = this.#source.indexOf(after, from);
    if (until < 0) throw malformed();
    this.#at = until + after.length;
    return this.#source.slice(from, until);
  }

  /** Content other than white space must stand inside the root. */
  #append(text: string): void {
    if (this.#ancestors.length === 0) throw malformed();
    this.#open.text += text;
  }

  #readText(): void {
    const [text] = this.#expect(TEXT);
    if (text.includes(']]>')) throw malformed();
    this.#open.text += text;
  }

  #readComment(): void {
    const comment = this.#enclosed('<!--', '-->');
    if (comment.includes('--') || comment.endsWith('-')) throw malformed();
  }

  #readInstruction(): void {
    this.#expect(INSTRUCTION_TARGET);
    this.#enclosed('', '?>');
  }

  #readStartTag(): void {
    const match = this.#expect(START_TAG);
    const [, name = '', attributes = ''] = match;
    if (attributes !== '') checkAttributes(attributes);
    const element: OpenElement = { name, children: [], text: '' };
    this.#open.children.push(element);
    if (match.at(-1) === '/') return;
    this.#ancestors.push(this.#open);
    this.#open = element;
  }

  #readEndTag(): void {
    const [, name] = this.#expect(END_TAG);
    const parent = this.#ancestors.pop();
    if (!parent || name !== this.#open.name) throw malformed();
    this.#open = parent;
  }
}

function decodeReference([, hexadecimal, decimal, entity]: RegExpExecArray): string {
  if (entity !== undefined) return ENTITIES[entity] ?? '';
  const codePoint = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
  const character = codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : '\0';
  if (NO_CHARACTER.test(character)) throw malformed();
  return character;
}

function checkAttributes(attributes: string): void {
  const names = new Set<string>();
  for (const [, name = '', value = ''] of attributes.matchAll(ATTRIBUTES)) {
    if (names.has(name)) throw malformed();
    names.add(name);
    for (let at = value.indexOf('&'); at >= 0; at = value.indexOf('&', at + 1)) {
      REFERENCE.lastIndex = at;
      const match = REFERENCE.exec(value);
      if (!match) throw malformed();
      decodeReference(match);
    }
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The root element of a document in UTF-8, with or without a byte order mark. @throws TableError InvalidXmlDocument. */
export function parseXml(body: Buffer): XmlElement {
  let source: string;
  try {
    source = utf8.decode(body);
  } catch {
    throw malformed();
  }
  if (NO_CHARACTER.test(source)) throw malformed();
  // XML 1.0 section 2.11: every line break reads as a line feed.
  return new XmlReader(source.includes('\r') ? source.replace(/\r\n?/g, '\n') : source).read();
}

/** The text of an element that has no children. @throws TableError InvalidXmlDocument. */
export function textOf(element: XmlElement): string {
  if (element.children.length > 0) throw malformed();
  return element.text;
}

function checkNoText(element: XmlElement): void {
  if (!BLANK.test(element.text)) throw malformed();
}

/** The children of an element that may hold one kind only. @throws TableError InvalidXmlDocument. */
export function listOf(element: XmlElement, name: string): readonly XmlElement[] {
  checkNoText(element);
  for (const child of element.children) if (child.name !== name) throw malformed();
  return element.children;
}

/** The children by name, in any order, each at most once, no others. @throws TableError InvalidXmlDocument. */
export function fieldsOf(element: XmlElement, names: ReadonlySet<string>): ReadonlyMap<string, XmlElement> {
  checkNoText(element);
  const fields = new Map<string, XmlElement>();
  for (const child of element.children) {
    if (!names.has(child.name) || fields.has(child.name)) throw malformed();
    fields.set(child.name, child);
  }
  return fields;
}
