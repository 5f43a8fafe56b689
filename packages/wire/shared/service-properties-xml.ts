// The documents of Get and Set Service Properties, and of Get Service Stats (protocol: service-properties).
// Errors of structure, counts and days make the document invalid; a malformed value makes its node invalid.
import type { CorsRule, Logging, Metrics, ServiceProperties, ServicePropertiesChange } from '#account';
import { formatHttpDate } from '#base';
import {
  escapeXml,
  fieldsOf,
  invalid,
  invalidValue,
  listOf,
  parseRoot,
  textOf,
  XML_HEAD,
  type XmlElement,
} from './xml.js';

/** Azure's maximum (protocol: service-properties#limits). */
export const RETENTION_DAYS_MAX = 365;
/** Azure's words, which blobs and queues say to the client (protocol: service-properties#limits). */
export const RETENTION_REASON = 'Retention days must be greater than 0 and less than or equal to 365 days.';
const RULES_MAX = 5;
const ORIGINS_MAX = 64;
const LITERAL_HEADERS_MAX = 64;
const PREFIXED_HEADERS_MAX = 2;
const ITEM_LENGTH_MAX = 256;
/** Characters of all rules together, tags and commas not counted. */
const RULES_LENGTH_MAX = 2048;
const MAX_AGE_MAX = 0x7fffffff;

const METHODS: ReadonlySet<string> = new Set(
  'DELETE GET HEAD MERGE POST OPTIONS PUT PATCH TRACE CONNECT'.split(' '),
);
/** DefaultServiceVersion is not among them: the Table service refuses it (protocol: service-properties#document). */
const SECTIONS: ReadonlySet<string> = new Set(['Logging', 'HourMetrics', 'MinuteMetrics', 'Cors']);
const LOGGING_FIELDS: ReadonlySet<string> = new Set([
  'Version',
  'Read',
  'Write',
  'Delete',
  'RetentionPolicy',
]);
const METRICS_FIELDS: ReadonlySet<string> = new Set(['Version', 'Enabled', 'IncludeAPIs', 'RetentionPolicy']);
const RETENTION_FIELDS: ReadonlySet<string> = new Set(['Enabled', 'Days']);
const RULE_FIELDS: ReadonlySet<string> = new Set(
  'AllowedOrigins AllowedMethods AllowedHeaders ExposedHeaders MaxAgeInSeconds'.split(' '),
);

export const PROPERTIES_ROOT = 'StorageServiceProperties';

type Fields = ReadonlyMap<string, XmlElement>;

/** @throws ServiceError InvalidXmlDocument or InvalidXmlNodeValue. */
export const parseServiceProperties = (body: Buffer): ServicePropertiesChange =>
  parseServiceSections(parseRoot(body, PROPERTIES_ROOT));

/** The sections that all services have. @throws ServiceError InvalidXmlDocument or InvalidXmlNodeValue. */
export function parseServiceSections(root: XmlElement): ServicePropertiesChange {
  const sections = fieldsOf(root, SECTIONS);
  const logging = sections.get('Logging');
  const hourMetrics = sections.get('HourMetrics');
  const minuteMetrics = sections.get('MinuteMetrics');
  const cors = sections.get('Cors');
  return {
    logging: logging && parseLogging(logging),
    hourMetrics: hourMetrics && parseMetrics(hourMetrics),
    minuteMetrics: minuteMetrics && parseMetrics(minuteMetrics),
    cors: cors && parseCors(cors),
  };
}

function parseLogging(element: XmlElement): Logging {
  const fields = fieldsOf(element, LOGGING_FIELDS);
  return {
    version: parseVersion(fields),
    read: parseBoolean(fields, 'Read'),
    write: parseBoolean(fields, 'Write'),
    delete: parseBoolean(fields, 'Delete'),
    retentionDays: parseRetention(fields),
  };
}

function parseMetrics(element: XmlElement): Metrics {
  const fields = fieldsOf(element, METRICS_FIELDS);
  return {
    version: parseVersion(fields),
    enabled: parseBoolean(fields, 'Enabled'),
    includeApis: fields.has('IncludeAPIs') && parseBoolean(fields, 'IncludeAPIs'),
    retentionDays: parseRetention(fields),
  };
}

function parseVersion(fields: Fields): string {
  const element = fields.get('Version');
  const version = element ? textOf(element).trim() : '1.0';
  if (version !== '1.0' && version !== '2.0') throw invalidValue('Version is neither 1.0 nor 2.0.');
  return version;
}

/** `True` and `False` are accepted too (protocol: documents#reading). */
function parseBoolean(fields: Fields, name: string): boolean {
  const element = fields.get(name);
  if (!element) throw invalid(`${name} is missing.`);
  const text = textOf(element).trim().toLowerCase();
  if (text !== 'true' && text !== 'false') throw invalidValue(`${name} is neither true nor false.`);
  return text === 'true';
}

/** A missing policy is disabled. Days have a meaning only in an enabled one. */
function parseRetention(fields: Fields): number | undefined {
  const element = fields.get('RetentionPolicy');
  if (!element) return undefined;
  const retention = fieldsOf(element, RETENTION_FIELDS);
  if (!parseBoolean(retention, 'Enabled')) return undefined;
  const days = parseWhole(retention, 'Days');
  if (days < 1 || days > RETENTION_DAYS_MAX) throw invalid('Days are not in 1 to 365.', RETENTION_REASON);
  return days;
}

function parseWhole(fields: Fields, name: string): number {
  const element = fields.get(name);
  if (!element) throw invalid(`${name} is missing.`);
  const text = textOf(element).trim();
  if (!/^\d{1,10}$/.test(text)) throw invalidValue(`${name} is not a whole number.`);
  return Number(text);
}

function parseCors(element: XmlElement): readonly CorsRule[] {
  const elements = listOf(element, 'CorsRule');
  if (elements.length > RULES_MAX) throw invalid('There are more than five rules.');
  const rules = elements.map(parseRule);
  if (rules.reduce((sum, rule) => sum + ruleLength(rule), 0) > RULES_LENGTH_MAX) {
    throw invalid('The rules are longer than 2 KiB together.');
  }
  return rules;
}

function ruleLength(rule: CorsRule): number {
  const items = [rule.allowedOrigins, rule.allowedMethods, rule.allowedHeaders, rule.exposedHeaders].flat();
  return items.join('').length + String(rule.maxAgeSeconds).length;
}

function parseRule(element: XmlElement): CorsRule {
  const fields = fieldsOf(element, RULE_FIELDS);
  const allowedOrigins = parseList(fields, 'AllowedOrigins');
  const allowedMethods = parseList(fields, 'AllowedMethods');
  if (!allowedOrigins || !allowedMethods) throw invalid('AllowedOrigins or AllowedMethods is missing.');
  if (allowedOrigins.length < 1 || allowedOrigins.length > ORIGINS_MAX) {
    throw invalidValue('AllowedOrigins are not 1 to 64.');
  }
  if (allowedMethods.length < 1 || !allowedMethods.every(method => METHODS.has(method))) {
    throw invalidValue('AllowedMethods are none, or have an unknown one.');
  }
  const maxAgeSeconds = fields.has('MaxAgeInSeconds') ? parseWhole(fields, 'MaxAgeInSeconds') : 0;
  if (maxAgeSeconds > MAX_AGE_MAX) throw invalidValue('MaxAgeInSeconds is too large.');
  return {
    allowedOrigins,
    allowedMethods,
    allowedHeaders: parseHeaders(fields, 'AllowedHeaders'),
    exposedHeaders: parseHeaders(fields, 'ExposedHeaders'),
    maxAgeSeconds,
  };
}

function parseList(fields: Fields, name: string): readonly string[] | undefined {
  const element = fields.get(name);
  if (!element) return undefined;
  const items = textOf(element)
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '');
  if (items.some(item => item.length > ITEM_LENGTH_MAX)) {
    throw invalidValue(`${name} has an item of more than 256 characters.`);
  }
  return items;
}

/** Literal names first, then prefixes, each in the order given, which answers keep (protocol: service-properties#header-lists). */
function parseHeaders(fields: Fields, name: string): readonly string[] {
  const items = parseList(fields, name) ?? [];
  const literals = items.filter(item => !item.endsWith('*'));
  const prefixes = items.filter(item => item.endsWith('*'));
  if (literals.length > LITERAL_HEADERS_MAX || prefixes.length > PREFIXED_HEADERS_MAX) {
    throw invalidValue(`${name} has more than 64 names or 2 prefixes.`);
  }
  return [...literals, ...prefixes];
}

/**
 * Starts with a byte order mark; the order of elements is Azure's (protocol: service-properties#document).
 *
 * @param more sections that one service has, written.
 */
export function formatServiceProperties(properties: ServiceProperties, more = ''): string {
  const { logging, hourMetrics, minuteMetrics, cors } = properties;
  const sections =
    formatLogging(logging) +
    formatMetrics('HourMetrics', hourMetrics) +
    formatMetrics('MinuteMetrics', minuteMetrics) +
    formatElement('Cors', cors.map(formatRule).join('')) +
    more;
  return `${XML_HEAD}<StorageServiceProperties>${sections}</StorageServiceProperties>`;
}

function formatLogging({ version, read, write, delete: deletes, retentionDays }: Logging): string {
  const kinds = `<Read>${read}</Read><Write>${write}</Write><Delete>${deletes}</Delete>`;
  return `<Logging><Version>${version}</Version>${kinds}${formatRetention(retentionDays)}</Logging>`;
}

function formatMetrics(name: string, { version, enabled, includeApis, retentionDays }: Metrics): string {
  const apis = enabled ? `<IncludeAPIs>${includeApis}</IncludeAPIs>` : '';
  const fields = `<Version>${version}</Version><Enabled>${enabled}</Enabled>${apis}${formatRetention(retentionDays)}`;
  return `<${name}>${fields}</${name}>`;
}

function formatRetention(days: number | undefined): string {
  const fields =
    days === undefined ? '<Enabled>false</Enabled>' : `<Enabled>true</Enabled><Days>${days}</Days>`;
  return `<RetentionPolicy>${fields}</RetentionPolicy>`;
}

function formatRule(rule: CorsRule): string {
  const fields =
    formatList('AllowedMethods', rule.allowedMethods) +
    formatList('AllowedOrigins', rule.allowedOrigins) +
    formatList('AllowedHeaders', rule.allowedHeaders) +
    formatList('ExposedHeaders', rule.exposedHeaders);
  return `<CorsRule>${fields}<MaxAgeInSeconds>${rule.maxAgeSeconds}</MaxAgeInSeconds></CorsRule>`;
}

const formatList = (name: string, items: readonly string[]): string =>
  formatElement(name, escapeXml(items.join(',')));

const formatElement = (name: string, content: string): string =>
  content === '' ? `<${name} />` : `<${name}>${content}</${name}>`;

/** Starts with a byte order mark. `lastSync`: ticks up to which the secondary has every write. */
export const formatServiceStats = (lastSync: bigint): string =>
  `${XML_HEAD}<StorageServiceStats><GeoReplication><Status>live</Status><LastSyncTime>${formatHttpDate(lastSync)}</LastSyncTime></GeoReplication></StorageServiceStats>`;
