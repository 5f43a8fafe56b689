// What every answer of the Blob service must satisfy, whatever the request; check-answer.ts has the same for tables.
import assert from 'node:assert/strict';
import { SaxesParser } from 'saxes';
import { wireCode } from '#wire';
import { BLOB_ERROR_TABLE } from '#wire/blob';
import type { SeenAnswer } from './check-answer.js';

const SUCCESSES: ReadonlySet<number> = new Set([200, 201, 202, 204, 206]);
/** No request may cause these. */
const FAULTS: ReadonlySet<string> = new Set(['InternalError', 'OperationTimedOut', 'ServerBusy']);
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const CODES = new Set(
  Object.entries(BLOB_ERROR_TABLE).map(([code, { status }]) => `${status} ${wireCode(code)}`),
);

function checkXml(text: string): void {
  const parser = new SaxesParser();
  parser.on('error', error => {
    throw error;
  });
  parser.write(text.replace(/^\ufeff/, '')).close();
}

/** Throws what is wrong. */
export function checkBlobAnswer({ status, headers, body, isHead }: SeenAnswer): void {
  const known = new Map<string, string>();
  for (const [name, value] of headers) {
    assert.ok(NAME.test(name) && VALUE.test(value), `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
    const lower = name.toLowerCase();
    assert.ok(!known.has(lower), `${name} is said twice.`);
    known.set(lower, value);
  }
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
  const text = body.toString();
  checkXml(text);
  assert.equal(inBody, code, 'The body has another code.');
}
