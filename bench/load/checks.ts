// Compares answers with what they must contain, and returns what is wrong with one, or nothing. The callers decide what follows.
import { expectedProperties, groupRows, type Properties, soughtRows } from './dataset.js';
import type { Check } from './job.js';
import type { Response } from './response-parser.js';
import { fullPartitions, MEMBERS, scatter } from './template.js';

const PART_DONE = /HTTP\/1\.1 204 /g;

function wantedStatus(check: Check): number {
  if ('status' in check) return check.status;
  return check.kind === 'batch' ? 202 : 200;
}

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
function decodePage(body: Buffer): readonly unknown[] | undefined {
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

/** What is wrong with an answer. */
export function complaintOf(
  check: Check,
  { status, body }: Response,
  sequence: number,
  rows: number,
): string | undefined {
  if (status !== wantedStatus(check)) return `status ${status}: ${body.toString('utf8', 0, 400)}`;
  switch (check.kind) {
    case 'empty':
      return body.length === 0 ? undefined : 'a body where none is wanted';
    case 'entity':
      return propertiesComplaint(decodeJson(body), expectedProperties(scatter(sequence, rows)));
    case 'range':
      return pageComplaint(body, groupRows(scatter(sequence, rows)));
    case 'filter':
      return pageComplaint(body, soughtRows(sequence % fullPartitions(rows), rows));
    case 'batch':
      return batchComplaint(body);
    case 'bytes':
      return body.toString() === check.body ? undefined : 'other bytes';
    case 'any':
      return undefined;
  }
}
