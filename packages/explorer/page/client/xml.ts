// The XML of the Queue and Blob services.

export function parseXml(text: string): Element {
  return new DOMParser().parseFromString(text.replace(/^\ufeff/, ''), 'application/xml').documentElement;
}

const childrenOf = (element: Element, name: string): readonly Element[] =>
  [...element.children].filter(each => each.tagName === name);

/** The elements at the end of a path of names. */
export const elementsAt = (element: Element, ...path: readonly string[]): readonly Element[] =>
  path.reduce<readonly Element[]>((found, name) => found.flatMap(each => childrenOf(each, name)), [element]);

/** The text at a path; empty if there is none. */
export const textAt = (element: Element, ...path: readonly string[]): string =>
  elementsAt(element, ...path)[0]?.textContent ?? '';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeXml = (text: string): string => text.replace(/[&<>"]/g, each => ESCAPES[each] ?? each);
