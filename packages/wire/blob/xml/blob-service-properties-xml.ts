// The document of Get and Set Blob Service Properties: the sections that only blobs have (protocol: service-properties#of-blobs).
import type { ServiceProperties, ServicePropertiesChange, StaticWebsite } from '#account';
import {
  formatServiceProperties,
  PROPERTIES_ROOT,
  parseServiceSections,
  RETENTION_DAYS_MAX,
  RETENTION_REASON,
} from '../../shared/service-properties-xml.js';
import { elementOf } from '../../shared/storage-list-xml.js';
import { fieldsOf, invalid, invalidValue, parseRoot, textOf, type XmlElement } from '../../shared/xml.js';

const OWN: ReadonlySet<string> = new Set(['DefaultServiceVersion', 'DeleteRetentionPolicy', 'StaticWebsite']);
const RETENTION_FIELDS: ReadonlySet<string> = new Set(['Enabled', 'Days', 'AllowPermanentDelete']);
const WEBSITE_FIELDS: ReadonlySet<string> = new Set([
  'Enabled',
  'IndexDocument',
  'DefaultIndexDocumentPath',
  'ErrorDocument404Path',
]);
const VERSION = /^\d{4}-\d\d-\d\d$/;
/** Earlier versions have no such sections. */
const VERSION_OF_RETENTION = '2017-07-29';
const VERSION_OF_WEBSITES = '2018-03-28';

type Fields = ReadonlyMap<string, XmlElement>;

const textIn = (fields: Fields, name: string): string | undefined => {
  const element = fields.get(name);
  return element && (textOf(element).trim() || undefined);
};

function isEnabled(fields: Fields): boolean {
  const text = textIn(fields, 'Enabled')?.toLowerCase();
  if (text !== 'true' && text !== 'false') throw invalid('Enabled is neither true nor false.');
  return text === 'true';
}

/** What is deleted here is gone: a setting that promises otherwise is refused, after a faulty one (protocol: service-properties#of-blobs). */
function checkRetention(element: XmlElement): void {
  const fields = fieldsOf(element, RETENTION_FIELDS);
  if (!isEnabled(fields)) return;
  const text = textIn(fields, 'Days');
  if (text === undefined) throw invalid('Days are missing.', 'Element is missing: Days.');
  const days = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > RETENTION_DAYS_MAX) throw invalid('Days are not in 1 to 365.', RETENTION_REASON);
  throw invalidValue('Deleted blobs cannot be retained.');
}

function websiteOf(element: XmlElement): StaticWebsite {
  const fields = fieldsOf(element, WEBSITE_FIELDS);
  const website: StaticWebsite = {
    enabled: isEnabled(fields),
    indexDocument: textIn(fields, 'IndexDocument'),
    errorDocument: textIn(fields, 'ErrorDocument404Path'),
    defaultIndexPath: textIn(fields, 'DefaultIndexDocumentPath'),
  };
  if (!website.enabled && fields.size > 1)
    throw invalid(
      'Documents are set for a website that is disabled.',
      'IndexDocument, DefaultIndexDocumentPath and ErrorDocument404Path can only be set when StaticWebsite is enabled.',
    );
  return website;
}

function versionOf(element: XmlElement): string | undefined {
  const text = textOf(element).trim();
  if (text !== '' && !VERSION.test(text)) throw invalidValue('DefaultServiceVersion is no version.');
  return text === '' ? undefined : text;
}

/** @throws ServiceError InvalidXmlDocument or InvalidXmlNodeValue. */
export function parseBlobServiceProperties(body: Buffer): ServicePropertiesChange {
  const root = parseRoot(body, PROPERTIES_ROOT);
  const common = root.children.filter(({ name }) => !OWN.has(name));
  const own = { ...root, children: root.children.filter(({ name }) => OWN.has(name)) };
  const change = parseServiceSections({ ...root, children: common });
  const fields = fieldsOf(own, OWN);
  const retention = fields.get('DeleteRetentionPolicy');
  if (retention) checkRetention(retention);
  const [version, website] = [fields.get('DefaultServiceVersion'), fields.get('StaticWebsite')];
  return {
    ...change,
    defaultVersion: version && versionOf(version),
    staticWebsite: website && websiteOf(website),
  };
}

function formatWebsite({ enabled, indexDocument, errorDocument, defaultIndexPath }: StaticWebsite): string {
  const documents =
    elementOf('IndexDocument', indexDocument) +
    elementOf('DefaultIndexDocumentPath', defaultIndexPath) +
    elementOf('ErrorDocument404Path', errorDocument);
  return `<StaticWebsite><Enabled>${enabled}</Enabled>${documents}</StaticWebsite>`;
}

/** Starts with a byte order mark. */
export function formatBlobServiceProperties(properties: ServiceProperties, version: string): string {
  let own = '';
  if (version >= VERSION_OF_RETENTION)
    own += '<DeleteRetentionPolicy><Enabled>false</Enabled></DeleteRetentionPolicy>';
  if (version >= VERSION_OF_WEBSITES) own += formatWebsite(properties.staticWebsite ?? { enabled: false });
  own += elementOf('DefaultServiceVersion', properties.defaultVersion);
  return formatServiceProperties(properties, own);
}
