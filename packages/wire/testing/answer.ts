// One entity and its refusals, as tests of answers have them.
import type { Row } from '#store';
import { encodeEntity, TableError, type TableErrorCode } from '#tables';
import type { Answer, ResponseFormat } from '../table/answer.js';
import { type ErrorContext, formatError } from '../table/format-error.js';

export const BASE = { endpoint: 'http://h/account1', account: 'account1', resource: { table: 'T' } };
export const LOCATION = "http://h/account1/T(PartitionKey='p',RowKey='r')";

export const asked = (prefer?: ResponseFormat['prefer']): ResponseFormat => ({
  level: 'minimalmetadata',
  select: undefined,
  selectSuffix: '',
  prefer,
});

export const row: Row = {
  partition: 'p',
  key: 'r',
  version: 15_778_405_200_000_000n,
  value: encodeEntity([]),
};
/** Of `row`. */
export const ETAG = `W/"datetime'2020-01-01T01%3A02%3A00Z'"`;

export const errorContext = (more: Partial<ErrorContext> = {}): ErrorContext => ({
  requestId: 'id',
  now: row.version,
  format: asked(),
  xml: false,
  accept: undefined,
  ...more,
});

export const refused = (code: TableErrorCode, more?: Partial<ErrorContext>): Answer =>
  formatError(new TableError(code), errorContext(more));
