// Compares answers with what they must contain, and returns what is wrong with one, or nothing. The callers decide what follows.
import { expectedProperties, groupRows, type Properties, soughtRows } from './dataset.js';
import type { Check } from './job.js';
import type { Response } from './response-parser.js';
import { fullPartitions, MEMBERS, scatter } from './template.js';

const STATUS: Readonly<Record<Check['kind'], number>> = {
  empty: 204,
  entity: 200,
  range: 200,
  filter: 200,
  batch: 202,
  bytes: 200,
  deleted: 204,
  deletedBatch: 202,
};

const PART_DONE = /HTTP\/1\.1 204 /g;
const PART_ABSENT = /HTTP\/1\.1 404 /;

export const wantedStatus = (check: Check): number =>
  check.kind === 'empty' ? check.status : STATUS[check.kind];

/** Whether the answer to a delete means that there was nothing. */
export const isAbsent = (check: Check, { status, body }: Response): boolean =>
  (check.kind === 'deleted' && status === 404) ||
  (check.kind === 'deletedBatch' && status === 202 && PART_ABSENT.test(body.toString('latin1')));

/** What the entity lacks of the properties expected; it may have more. */
export function propertiesComplaint(entity: unknown, expected: Properties): string | undefined {
  if (typeof entity !== 'object' || entity === null) return `no entity: ${JSON.stringify(entity)}`;
  const properties = new Map<string, unknown>(Object.entries(entity));
  for (const [name, value] of Object.entries(expected)) {
    if (properties.get(name) === value) continue;
    const actual = JSON.stringify(properties.get(name));
    return `${name} is ${actual}, not ${JSON.stringify(value)}, in ${JSON.stringify(expected.RowKey)}`;
  }
  return undefined;
}

function rowsComplaint(entities: readonly unknown[], rows: readonly number[]): string | undefined {
  if (entities.length !== rows.length) return `${entities.length} entities instead of ${rows.length}`;
  for (const [index, row] of rows.entries()) {
    const complaint = propertiesComplaint(entities[index], expectedProperties(row));
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

/** Undefined if it is no JSON. */
export function decodeJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** The entities of a page; undefined if it is none. */
export function decodePage(body: Buffer): readonly unknown[] | undefined {
  const page = decodeJson(body);
  if (typeof page !== 'object' || page === null || !('value' in page)) return undefined;
  return Array.isArray(page.value) ? page.value : undefined;
}

function batchComplaint(body: Buffer): string | undefined {
  const text = body.toString('latin1');
  const done = text.match(PART_DONE)?.length ?? 0;
  return done === MEMBERS ? undefined : `${done} of ${MEMBERS} members done: ${text.slice(0, 400)}`;
}

const pageComplaint = (body: Buffer, rows: readonly number[]): string | undefined => {
  const entities = decodePage(body);
  return entities === undefined ? 'not a page' : rowsComplaint(entities, rows);
};

/** What is missing in all pages of a filter's answer. */
export const filterComplaint = (
  entities: readonly unknown[],
  sequence: number,
  rows: number,
): string | undefined => rowsComplaint(entities, soughtRows(sequence % fullPartitions(rows), rows));

/** Only the status: cheap enough for every answer. */
export function statusComplaint(check: Check, response: Response): string | undefined {
  if (response.status === wantedStatus(check) || isAbsent(check, response)) return undefined;
  return `status ${response.status}: ${response.body.toString('utf8', 0, 400)}`;
}

/** What is wrong with the body of an answer whose status is right; pages of filters are checked as one answer. */
export function bodyComplaint(
  check: Check,
  { body }: Response,
  sequence: number,
  rows: number,
): string | undefined {
  switch (check.kind) {
    case 'empty':
      return body.length === 0 ? undefined : 'a body where none is wanted';
    case 'entity':
      return propertiesComplaint(decodeJson(body), expectedProperties(scatter(sequence, rows)));
    case 'range':
      return pageComplaint(body, groupRows(scatter(sequence, rows)));
    case 'batch':
      return batchComplaint(body);
    case 'bytes':
      return body.toString() === check.body ? undefined : 'other bytes';
    case 'deletedBatch':
      return PART_ABSENT.test(body.toString('latin1')) ? undefined : batchComplaint(body);
    case 'filter':
    case 'deleted':
      return undefined;
  }
}
