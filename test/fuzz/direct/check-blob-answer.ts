// What every answer of the Blob service must satisfy, whatever the request; check-answer.ts has the same for tables.
import assert from 'node:assert/strict';
import { wireCode } from '#wire';
import { BLOB_ERROR_TABLE } from '#wire/blob';
import { checkHeaders, FAULTS, readXml, type SeenAnswer } from './check-answer.js';

const SUCCESSES: ReadonlySet<number> = new Set([200, 201, 202, 204, 206]);
const CODES = new Set(
  Object.entries(BLOB_ERROR_TABLE).map(([code, { status }]) => `${status} ${wireCode(code)}`),
);

/** Throws what is wrong. */
export function checkBlobAnswer({ status, headers, body, isHead }: SeenAnswer): void {
  const known = checkHeaders(headers);
  // Some recorded refusals have it only in their body (protocol: blob-requests#snapshots).
  const [, inBody] = /<Code>(\w+)<\/Code>/.exec(body.toString()) ?? [];
  const code = known.get('x-ms-error-code') ?? inBody;
  const isRefusal = status >= 300;
  assert.ok(isRefusal || SUCCESSES.has(status), `The status is ${status}.`);
  const hasNone = isHead && code === undefined;
  assert.ok(!isRefusal || hasNone || CODES.has(`${status} ${code}`), `${status} ${code} is in no table.`);
  assert.ok(code === undefined || !FAULTS.has(code), code);
  if (isHead || status === 304) return;
  const length = known.get('content-length');
  if (length !== undefined) assert.equal(Number(length), body.length, 'The length is another.');
  if (!isRefusal) return;
  readXml(body.toString());
  assert.equal(inBody, code, 'The body has another code.');
}
