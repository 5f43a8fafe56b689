// What every answer must satisfy, whatever the request: a known status, valid headers with the right length, a body of
// the announced type that reads back, and refusals only with a code of the error table, at its status.
import assert from 'node:assert/strict';
import { SaxesParser } from 'saxes';
import type { WireResponse } from '#base';
import { wireCode } from '#wire';
import { ERROR_TABLE } from '#wire/table';

export interface SeenAnswer {
  readonly status: number;
  readonly headers: WireResponse['headers'];
  readonly body: Buffer;
  /** An answer to HEAD has the length of what it leaves out. */
  readonly isHead: boolean;
}

const SUCCESSES: ReadonlySet<number> = new Set([200, 201, 202, 204]);
const CODES: ReadonlyMap<string, ReadonlySet<number>> = codesByStatus();
/** 500 and other signs of an overwhelmed server: no request may cause them. */
export const FAULTS: ReadonlySet<string> = new Set(['InternalError', 'OperationTimedOut', 'ServerBusy']);
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const SENTENCE = /^.+\nRequestId:[\da-f-]{36}\nTime:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/s;

function codesByStatus(): Map<string, Set<number>> {
  const codes = new Map<string, Set<number>>();
  for (const [code, { status }] of Object.entries(ERROR_TABLE)) {
    const name = code.split(':', 1)[0] ?? code;
    assert.equal(wireCode(code as keyof typeof ERROR_TABLE), name);
    codes.set(name, (codes.get(name) ?? new Set()).add(status));
  }
  return codes;
}

function checkRefusal(status: number, code: unknown, sentence: unknown): void {
  assert.ok(typeof code === 'string' && CODES.get(code)?.has(status), `${status} ${code} is in no table.`);
  assert.ok(!FAULTS.has(code), `${code}`);
  assert.ok(typeof sentence === 'string' && SENTENCE.test(sentence), `${sentence}`);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function checkJson(status: number, text: string): void {
  const document: unknown = JSON.parse(text);
  assert.ok(isObject(document), 'The JSON is no object.');
  if (status < 400) {
    assert.ok(!Object.hasOwn(document, 'odata.error'), 'A success has an error in it.');
    return;
  }
  const error = document['odata.error'];
  assert.ok(isObject(error) && isObject(error.message), 'There is no odata.error.');
  assert.equal(error.message.lang, 'en-US');
  checkRefusal(status, error.code, error.message.value);
}

/** The texts of the elements of a well-formed document, by their local names. */
export function readXml(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const open: { readonly name: string; text: string }[] = [];
  const parser = new SaxesParser();
  parser.on('error', error => {
    throw error;
  });
  parser.on('opentag', ({ name }) => open.push({ name: name.replace(/^m:/, ''), text: '' }));
  parser.on('text', piece => {
    const last = open.at(-1);
    if (last) last.text += piece;
  });
  parser.on('closetag', () => {
    const closed = open.pop();
    if (closed) found.set(closed.name, closed.text);
  });
  parser.write(text.replace(/^\ufeff/, '')).close();
  return found;
}

function checkXml(status: number, text: string): void {
  const elements = readXml(text);
  if (status < 400) {
    assert.ok(elements.size > 0);
    return;
  }
  checkRefusal(status, elements.get('code'), elements.get('message'));
}

const PART = /^HTTP\/1\.1 (\d{3}) [^\r\n]+\r\n((?:[^\r\n]+\r\n)*)\r\n(.*)$/s;

/** One answer of a batch. */
function checkPart(text: string): void {
  const [, status = '', head = '', body = ''] = PART.exec(text) ?? [];
  assert.ok(status !== '', `A part is no answer: ${JSON.stringify(text.slice(0, 300))}`);
  const type = /^Content-Type: (.*)\r$/im.exec(head)?.[1] ?? '';
  const whole = body.replace(/\r\n$/, '');
  checkStatus(Number(status));
  if (whole === '') assert.equal(status, '204');
  else checkBody(Number(status), type, Buffer.from(whole));
}

function checkStatus(status: number): void {
  assert.ok(status < 500 || status === 501, `The status is ${status}.`);
  assert.ok(status >= 400 || SUCCESSES.has(status), `The status is ${status}.`);
}

/** The pieces between the delimiters of a multipart body in Shelfmark's form: with CR LF and nothing around it. */
function sections(text: string, boundary: string): readonly string[] {
  const [before, ...pieces] = `\r\n${text}`.split(`\r\n--${boundary}`);
  assert.equal(before, '', 'Something stands before the first part.');
  assert.match(pieces.pop() ?? '', /^--(?:\r\n)?$/, 'The multipart body does not end.');
  return pieces.map(piece => {
    const headEnd = piece.indexOf('\r\n\r\n');
    assert.ok(piece.startsWith('\r\n') && headEnd > 0, 'A part has no head.');
    return piece.slice(2);
  });
}

const boundaryOf = (type: string): string => /boundary=([\w-]+)/.exec(type)?.[1] ?? assert.fail(type);

function checkMultipart(type: string, text: string): void {
  for (const section of sections(text, boundaryOf(type))) {
    const headEnd = section.indexOf('\r\n\r\n') + 4;
    const head = section.slice(0, headEnd);
    const content = section.slice(headEnd);
    const inner = /^Content-Type: (.*)\r$/im.exec(head)?.[1] ?? '';
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

/** The headers by their names in lower case. */
export function checkHeaders(headers: SeenAnswer['headers']): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const [name, value] of headers) {
    assert.ok(NAME.test(name) && VALUE.test(value), `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
    const lower = name.toLowerCase();
    assert.ok(!known.has(lower), `${name} is said twice.`);
    known.set(lower, value);
  }
  return known;
}

/** Throws what is wrong. */
export function checkAnswer({ status, headers, body, isHead }: SeenAnswer): void {
  checkStatus(status);
  const known = checkHeaders(headers);
  const length = known.get('content-length');
  // A refused HEAD describes no body (protocol: responses#refusals-of-head).
  if (isHead && status >= 400 && length === undefined) return;
  assert.ok(length !== undefined && /^\d+$/.test(length), `The length is ${length}.`);
  if (isHead) return;
  assert.equal(Number(length), body.length, 'The length is another.');
  if (body.length === 0) {
    assert.ok(status === 202 || status === 204 || status === 200, `${status} has no body.`);
    assert.equal(known.get('content-type'), undefined);
  } else checkBody(status, known.get('content-type') ?? '', body);
}
