// The parts that lists of the Blob and Queue services have in common (protocol: queues#list).
import type { Metadata } from '#account';
import { escapeXml } from './xml.js';

/** Nothing for a text that is missing or empty. Parsers read a bare carriage return as a line feed: it is escaped. */
export const elementOf = (name: string, text: string | undefined): string =>
  text === undefined || text === '' ? '' : `<${name}>${escapeXml(text)}</${name}>`;

/** An empty element for a text that is missing or empty. */
export const elementOrEmpty = (name: string, text: string | undefined): string =>
  elementOf(name, text) || `<${name} />`;

export function formatListMetadata(metadata: Metadata): string {
  if (metadata.length === 0) return '<Metadata />';
  return `<Metadata>${metadata.map(({ name, value }) => elementOrEmpty(name, value)).join('')}</Metadata>`;
}

export const attributeText = (text: string): string => escapeXml(text).replaceAll('"', '&quot;');
