// What every answer must satisfy, whatever the request: a known status, valid headers with the right length, a body of
// the announced type that reads back, and refusals only with a code of the service's error table, at its status.
import assert from 'node:assert/strict';
import { SaxesParser } from 'saxes';
import type { WireResponse } from '#base';
import { wireCode } from '#wire';
import { BLOB_ERROR_TABLE } from '#wire/blob';
import { QUEUE_ERROR_TABLE } from '#wire/queue';
import { ERROR_TABLE } from '#wire/table';

type FuzzedService = 'table' | 'queue' | 'blob';

export interface SeenAnswer {
  readonly status: number;
  readonly headers: WireResponse['headers'];
  readonly body: Buffer;
  /** An answer to HEAD has the length of what it leaves out. */
  readonly isHead: boolean;
}

type Headers = ReadonlyMap<string, string>;

const SUCCESSES: ReadonlySet<number> = new Set([200, 201, 202, 204]);
/** Signs of a fault, or of an overwhelmed server: no request may cause them. */
const FAULTS: ReadonlySet<string> = new Set(['InternalError', 'OperationTimedOut', 'ServerBusy']);

const codesOf = (table: Readonly<Record<string, { readonly status: number }>>): ReadonlySet<string> =>
  new Set(
    Object.entries(table)
      .filter(([code]) => !FAULTS.has(wireCode(code)))
      .map(([code, { status }]) => `${status} ${wireCode(code)}`),
  );
const CODES: Readonly<Record<FuzzedService, ReadonlySet<string>>> = {
  table: codesOf(ERROR_TABLE),
  queue: codesOf(QUEUE_ERROR_TABLE),
  blob: codesOf(BLOB_ERROR_TABLE),
};

const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const SENTENCE = /^.+\nRequestId:[\da-f-]{36}\nTime:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/s;

function checkStatus(status: number): void {
  assert.ok(status < 500 || status === 501, `The status is ${status}.`);
  assert.ok(status >= 400 || SUCCESSES.has(status), `The status is ${status}.`);
}

function checkRefusal(status: number, code: unknown, sentence: unknown): void {
  assert.ok(CODES.table.has(`${status} ${code}`), `${status} ${code} is in no table.`);
  assert.match(String(sentence), SENTENCE);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function checkJson(status: number, text: string): void {
  const document: unknown = JSON.parse(text);
  assert.ok(isObject(document), 'The JSON is no object.');
  const error = document['odata.error'];
  if (status < 400) {
    assert.equal(error, undefined, 'A success has an error in it.');
    return;
  }
  assert.ok(isObject(error) && isObject(error.message), 'There is no odata.error.');
  assert.equal(error.message.lang, 'en-US');
  checkRefusal(status, error.code, error.message.value);
}

/** @throws the parser's error for a document that is not well-formed. */
function checkWellFormed(text: string): void {
  const parser = new SaxesParser();
  parser.on('error', error => {
    throw error;
  });
  parser.write(text.replace(/^\ufeff/, '')).close();
}

/** The text of the only element with the name. */
const elementIn = (text: string, name: string): string | undefined =>
  new RegExp(`<${name}(?: [^>]*)?>([^<]*)<`).exec(text)?.[1];

function checkXml(status: number, text: string): void {
  checkWellFormed(text);
  if (status >= 400) checkRefusal(status, elementIn(text, '(?:m:)?code'), elementIn(text, '(?:m:)?message'));
}

const PART = /^HTTP\/1\.1 (\d{3}) [^\r\n]+\r\n((?:[^\r\n]+\r\n)*)\r\n(.*)$/s;
const typeIn = (head: string): string => /^Content-Type: (.*)\r$/im.exec(head)?.[1] ?? '';

/** One answer of a batch. */
function checkPart(text: string): void {
  const [, status = '', head = '', body = ''] = PART.exec(text) ?? [];
  assert.ok(status !== '', `A part is no answer: ${JSON.stringify(text.slice(0, 300))}`);
  const whole = body.replace(/\r\n$/, '');
  checkStatus(Number(status));
  if (whole === '') assert.equal(status, '204');
  else checkBody(Number(status), typeIn(head), Buffer.from(whole));
}

/** Shelfmark's form: with CR LF and nothing around it. */
function checkMultipart(type: string, text: string): void {
  const boundary = /boundary=([\w-]+)/.exec(type)?.[1] ?? assert.fail(type);
  const [before, ...pieces] = `\r\n${text}`.split(`\r\n--${boundary}`);
  assert.equal(before, '', 'Something stands before the first part.');
  assert.match(pieces.pop() ?? '', /^--(?:\r\n)?$/, 'The multipart body does not end.');
  for (const piece of pieces) {
    const headEnd = piece.indexOf('\r\n\r\n');
    assert.ok(piece.startsWith('\r\n') && headEnd > 0, 'A part has no head.');
    const inner = typeIn(piece.slice(2, headEnd + 4));
    const content = piece.slice(headEnd + 4);
    if (inner.startsWith('multipart/mixed')) checkMultipart(inner, content);
    else {
      assert.equal(inner, 'application/http');
      checkPart(content);
    }
  }
}

function checkBody(status: number, type: string, body: Buffer): void {
  const text = body.toString('utf8');
  assert.ok(Buffer.from(text).equals(body), 'The body is not UTF-8.');
  if (type.startsWith('application/json')) checkJson(status, text);
  else if (type.startsWith('application/xml')) checkXml(status, text);
  else if (type.startsWith('multipart/mixed')) checkMultipart(type, text);
  else assert.fail(`The type of the body is ${JSON.stringify(type)}.`);
}

function checkTableAnswer({ status, body, isHead }: SeenAnswer, headers: Headers): void {
  checkStatus(status);
  const length = headers.get('content-length');
  // A refused HEAD describes no body (protocol: responses#refusals-of-head).
  if (isHead && status >= 400 && length === undefined) return;
  assert.match(String(length), /^\d+$/, 'The length is missing.');
  if (isHead) return;
  if (body.length === 0) {
    assert.ok(SUCCESSES.has(status) && status !== 201, `${status} has no body.`);
    assert.equal(headers.get('content-type'), undefined);
  } else checkBody(status, headers.get('content-type') ?? '', body);
}

/** Of blobs and queues, whose refusals are XML. */
function checkStorageAnswer(
  service: 'queue' | 'blob',
  { status, body, isHead }: SeenAnswer,
  headers: Headers,
): void {
  const text = body.toString();
  const inBody = status >= 300 ? elementIn(text, 'Code') : undefined;
  // Some recorded refusals have it only in their body (protocol: blob-requests#snapshots).
  const code = headers.get('x-ms-error-code') ?? inBody;
  if (status < 300) assert.ok(SUCCESSES.has(status) || status === 206, `The status is ${status}.`);
  if (status < 300 || (isHead && code === undefined)) return;
  assert.ok(CODES[service].has(`${status} ${code}`), `${status} ${code} is in no table.`);
  if (isHead || status === 304) return;
  checkWellFormed(text);
  assert.equal(inBody, code, 'The body has another code.');
}

/** Throws what is wrong. */
export function checkAnswer(service: FuzzedService, answer: SeenAnswer): void {
  const { headers, body, isHead } = answer;
  const known = new Map<string, string>();
  for (const [name, value] of headers) {
    assert.ok(NAME.test(name) && VALUE.test(value), `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
    const lower = name.toLowerCase();
    assert.ok(!known.has(lower), `${name} is said twice.`);
    known.set(lower, value);
  }
  const length = known.get('content-length');
  if (!isHead && length !== undefined) assert.equal(Number(length), body.length, 'The length is another.');
  if (service === 'table') checkTableAnswer(answer, known);
  else checkStorageAnswer(service, answer, known);
}
