// Formats the answer to POST /$batch, byte for byte: the multipart envelope, and answers as its parts, with their headers in Azure's order
// (protocol: batches#answers, batches#parts).
import type { Answer } from '../answer.js';

/** New GUIDs in lower case for each answer. Clients search for the prefixes before them. */
interface EnvelopeIds {
  readonly batch: string;
  readonly changeset: string;
}

export interface Envelope {
  readonly contentType: string;
  readonly body: string;
}

function envelop(batchId: string, content: string): Envelope {
  const boundary = `batchresponse_${batchId}`;
  return {
    contentType: `multipart/mixed; boundary=${boundary}`,
    body: `--${boundary}\r\n${content}--${boundary}--\r\n`,
  };
}

/** The answer to a changeset: one part for each operation, or the only part of the one that failed, or none. */
export function formatChangeset(parts: readonly string[], ids: EnvelopeIds): Envelope {
  const boundary = `changesetresponse_${ids.changeset}`;
  let content = '';
  for (const part of parts) content += `--${boundary}\r\n${part}`;
  return envelop(
    ids.batch,
    `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n${content}--${boundary}--\r\n`,
  );
}

/** The answer to a batch with a GET, which has no changeset around it. */
export const formatBatchQuery = (part: string, ids: Pick<EnvelopeIds, 'batch'>): Envelope =>
  envelop(ids.batch, part);

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
  // Without its tokens, a page that is not the last would look like all of the answer (protocol: queries#continuation).
  if (withContent) for (const [name, value] of answer.more ?? []) head += line(name, value);
  const text = body === undefined || typeof body === 'string' ? (body ?? '') : body.toString('utf8');
  return `${OPENING}HTTP/1.1 ${status} ${REASONS.get(status) ?? 'Unknown'}\r\n${head}\r\n${text}\r\n`;
}
