// Writes an answer as a part of a batch, with its headers in Azure's order (protocol: batches#parts).
import type { Answer } from '../answer.js';

/** The standard phrases of the statuses that an operation can have. */
const REASONS: ReadonlyMap<number, string> = new Map([
  [200, 'OK'],
  [201, 'Created'],
  [204, 'No Content'],
  [400, 'Bad Request'],
  [403, 'Forbidden'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [409, 'Conflict'],
  [412, 'Precondition Failed'],
  [413, 'Request Entity Too Large'],
  [414, 'URI Too Long'],
  [415, 'Unsupported Media Type'],
  [500, 'Internal Server Error'],
  [501, 'Not Implemented'],
  [503, 'Service Unavailable'],
]);

const OPENING = 'Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';

const line = (name: string, value: string | undefined): string =>
  value === undefined ? '' : `${name}: ${value}\r\n`;

/**
 * The bytes between two delimiters. Parts with content begin with version and type, parts without end with the
 * version; in errors they are in the middle.
 */
export function formatPart(answer: Answer, contentId: string | undefined): string {
  const { status, body, location } = answer;
  const version = line('DataServiceVersion', answer.dataServiceVersion);
  const type = line('Content-Type', answer.contentType);
  let common = line('Content-ID', contentId);
  if (answer.noSniff) common += 'X-Content-Type-Options: nosniff\r\n';
  if (answer.cacheControl) common += 'Cache-Control: no-cache\r\n';
  common += line('Preference-Applied', answer.preferenceApplied);
  const withContent = status < 300 && body !== undefined;
  let head = withContent ? version + type + common : common + version + type;
  head += line('Location', location);
  if (status === 204) head += line('DataServiceId', location);
  head += line('ETag', answer.etag);
  const text = body === undefined || typeof body === 'string' ? (body ?? '') : body.toString('utf8');
  return `${OPENING}HTTP/1.1 ${status} ${REASONS.get(status) ?? 'Unknown'}\r\n${head}\r\n${text}\r\n`;
}
