// Parses refusals of the Table service, and maps each to an error of this library. settled-writes.ts decides whether a refusal of a retried request is true.
import { isObject } from '../values/is-object.js';
import { PatternError, type RowAddress } from '../values/pattern-error.js';

export interface ServiceRefusal {
  readonly status: number;
  readonly code: string;
  /** Without the lines that name the request and the time. */
  readonly text: string;
  /** The index of the failed operation in a batch, where the text has it. */
  readonly index: number | undefined;
  /** Seconds that the service asks to wait. */
  readonly retryAfter: number | undefined;
}

function jsonError(text: string): { code: string; text: string } | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const error = isObject(body) ? body['odata.error'] : undefined;
  if (!isObject(error)) return undefined;
  const message = isObject(error.message) ? error.message.value : undefined;
  return { code: String(error.code ?? ''), text: String(message ?? '') };
}

/** Refusals of a signature come as XML, whatever was asked for. */
function xmlError(text: string): { code: string; text: string } | undefined {
  const [, code] = /<(?:m:)?code\b[^>]*>([^<]*)</i.exec(text) ?? [];
  const [, message = ''] = /<(?:m:)?message\b[^>]*>([^<]*)</i.exec(text) ?? [];
  return code === undefined ? undefined : { code, text: message };
}

/** Characters of a foreign page that an error shows. */
const SHOWN_MAX = 200;

/** What an error shows of a text that is not the service's: its beginning, in one line. */
export const shownOf = (page: string): string =>
  page
    .slice(0, 5 * SHOWN_MAX)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, SHOWN_MAX);

const INDEX = /^(\d+):/;

export function parseRefusal(
  status: number,
  body: string,
  header: (name: string) => string | undefined = () => undefined,
): ServiceRefusal {
  const found = jsonError(body) ??
    xmlError(body) ?? { code: header('x-ms-error-code') ?? '', text: shownOf(body) };
  const [line = ''] = found.text.split('\n');
  const [, index] = INDEX.exec(line) ?? [];
  const seconds = Number(header('retry-after') ?? Number.NaN);
  return {
    status,
    code: found.code,
    text: index === undefined ? line : line.slice(index.length + 1),
    index: index === undefined ? undefined : Number(index),
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  };
}

export const isBusy = ({ status, code }: Pick<ServiceRefusal, 'status' | 'code'>): boolean =>
  status === 429 || status === 503 || code === 'ServerBusy';

/** The error of a request that was about no row in particular, and perhaps of one table. */
export function requestError(refusal: ServiceRefusal, table?: string): PatternError {
  const { status, code, text, retryAfter } = refusal;
  if (code === 'TableNotFound' && table !== undefined) return new PatternError('TableNotFound', { table });
  if (code === 'TableBeingDeleted' && table !== undefined)
    return new PatternError('TableBeingDeleted', { table });
  return isBusy(refusal)
    ? new PatternError('Throttled', { retryAfter })
    : new PatternError('ServiceRefused', { status, code, text });
}

/** The error of a request for one row. `etag` is what a conditional write compared. */
export function rowError(
  refusal: ServiceRefusal,
  address: RowAddress,
  etag: string | undefined,
): PatternError {
  switch (refusal.code) {
    case 'EntityAlreadyExists':
      return new PatternError('AlreadyExists', address);
    case 'UpdateConditionNotSatisfied':
    case 'ConditionNotMet':
      return new PatternError('Conflict', { ...address, etag: etag ?? '*' });
    case 'ResourceNotFound':
    case 'EntityNotFound':
      return new PatternError('NotFound', address);
    default:
      return requestError(refusal, address.table);
  }
}
