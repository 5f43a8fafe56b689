// The document of Get and Set Table ACL and Queue ACL (protocol: access-policies#document). The server evaluates what a policy grants.
import type { AccessPolicy, SignedIdentifier } from '#account';
import { formatDateTimeFull, parseDateTime, YEAR_ONE } from '#base';
import { escapeXml, fieldsOf, invalid, listOf, parseRoot, textOf, XML_HEAD, type XmlElement } from './xml.js';

/** Azure's maximum (protocol: access-policies#limits). */
const IDENTIFIERS_MAX = 5;
const ID_LENGTH_MAX = 64;

const IDENTIFIER_FIELDS: ReadonlySet<string> = new Set(['Id', 'AccessPolicy']);
const POLICY_FIELDS: ReadonlySet<string> = new Set(['Start', 'Expiry', 'Permission']);

/**
 * An empty body or an empty list clears the policies.
 *
 * @param letters the service's permission letters.
 * @throws ServiceError InvalidXmlDocument.
 */
export function parseIdentifiers(body: Buffer, letters = 'raud'): readonly SignedIdentifier[] {
  if (body.length === 0) return [];
  const root = parseRoot(body, 'SignedIdentifiers');
  const elements = listOf(root, 'SignedIdentifier');
  if (elements.length > IDENTIFIERS_MAX) throw invalid('There are more than five policies.');
  const identifiers = elements.map(element => parseIdentifier(element, letters));
  if (new Set(identifiers.map(({ id }) => id)).size < identifiers.length)
    throw invalid('An id is given twice.');
  return identifiers;
}

function parseIdentifier(element: XmlElement, letters: string): SignedIdentifier {
  const fields = fieldsOf(element, IDENTIFIER_FIELDS);
  const idElement = fields.get('Id');
  const id = idElement ? textOf(idElement) : '';
  if (id.length < 1 || id.length > ID_LENGTH_MAX)
    throw invalid('An id is missing or longer than 64 characters.');
  const policyElement = fields.get('AccessPolicy');
  return { id, policy: policyElement && parsePolicy(policyElement, letters) };
}

function parsePolicy(element: XmlElement, letters: string): AccessPolicy | undefined {
  const fields = fieldsOf(element, POLICY_FIELDS);
  const start = parseTime(fields.get('Start'));
  const expiry = parseTime(fields.get('Expiry'));
  const permission = parsePermission(fields.get('Permission'), letters);
  if (start === undefined && expiry === undefined && permission === undefined) return undefined;
  return { start, expiry, permission };
}

/** An empty element counts as missing: the recordings show that an empty policy reads back as none. */
function parseTime(element: XmlElement | undefined): bigint | undefined {
  const text = element ? textOf(element).trim() : '';
  if (text === '') return undefined;
  const ticks = parseDateTime(text, YEAR_ONE);
  if (ticks === undefined) throw invalid('Start or Expiry is not a time.');
  return ticks;
}

function parsePermission(element: XmlElement | undefined, letters: string): string | undefined {
  const text = element ? textOf(element).trim() : '';
  if (text === '') return undefined;
  const isKnown = [...text].every(letter => letters.includes(letter));
  if (!isKnown || new Set(text).size < text.length) throw invalid(`Permission is no set of ${letters}.`);
  return text;
}

/** Starts with a byte order mark; has only the fields that were set, in the order Start, Expiry, Permission. */
export function formatIdentifiers(identifiers: readonly SignedIdentifier[]): string {
  if (identifiers.length === 0) return `${XML_HEAD}<SignedIdentifiers />`;
  return `${XML_HEAD}<SignedIdentifiers>${identifiers.map(formatIdentifier).join('')}</SignedIdentifiers>`;
}

function formatIdentifier({ id, policy }: SignedIdentifier): string {
  return `<SignedIdentifier><Id>${escapeXml(id)}</Id>${policy ? formatPolicy(policy) : ''}</SignedIdentifier>`;
}

function formatPolicy({ start, expiry, permission }: AccessPolicy): string {
  let fields = '';
  if (start !== undefined) fields += `<Start>${formatDateTimeFull(start)}</Start>`;
  if (expiry !== undefined) fields += `<Expiry>${formatDateTimeFull(expiry)}</Expiry>`;
  if (permission !== undefined) fields += `<Permission>${permission}</Permission>`;
  return fields === '' ? '' : `<AccessPolicy>${fields}</AccessPolicy>`;
}
