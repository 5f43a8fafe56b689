// Writes an answer: status line, headers in their order, how the connection continues, and a whole body. Refuses values
// that would break out of their line, because a header could then end the answer, and lengths that are not the body's.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { StreamedResponse, WireResponse } from '#base';
import { formatHttpDate, releaseBuffer, systemClock, withHead } from '#base';
import type { Refusal } from './request-head.js';

interface ResponseHead {
  /** Without the lines that end it. */
  readonly text: string;
  /** The length of the body as the headers give it; undefined if they do not. */
  readonly bodyLength: string | undefined;
  readonly isAscii: boolean;
}

interface Line {
  /** Undefined for a line that is not cached. */
  readonly value: string | undefined;
  readonly text: string;
}

/** Up to this size copying a body behind its head costs less than handing the system two pieces. */
const JOINED_BYTES_MAX = 16_384;
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const PLAIN_VALUE = /^[\t\x20-\x7e]*$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The last line of each header: most are the same in every answer. The names are the handler's, not a client's. */
const LINES = new Map<string, Line>();
const LINES_MAX = 256;
/** Longer ones are not worth caching. */
const REMEMBERED_LENGTH_MAX = 256;

const NOT_REMEMBERED: Line = { value: undefined, text: '' };

/** Caches the line only if it is ASCII. */
function learn(name: string, value: string): Line {
  if (!NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} is not the name of a header.`);
  const isKept = value.length <= REMEMBERED_LENGTH_MAX && PLAIN_VALUE.test(value);
  if (!isKept || LINES.size >= LINES_MAX) return NOT_REMEMBERED;
  const line = { value, text: `${name}: ${value}\r\n` };
  LINES.set(name, line);
  return line;
}

/** For text that is not all ASCII. */
function checkWide(text: string): false {
  if (!VALUE.test(text)) throw new TypeError('An answer holds a character that no header may.');
  return false;
}

/** @throws TypeError for a name, a value or a phrase that is not allowed in a head. */
export function formatHead({ status, reason, headers }: Omit<WireResponse, 'body'>): ResponseHead {
  let text = `HTTP/1.1 ${status} ${reason ?? STATUS_CODES[status] ?? 'unknown'}\r\n`;
  let bodyLength: string | undefined;
  // Checked in one piece: starting a check costs more than continuing one.
  let unchecked = reason ?? '';
  for (const [name, value] of headers) {
    const known = LINES.get(name) ?? learn(name, value);
    if (known.value === value) {
      text += known.text;
    } else {
      text += `${name}: ${value}\r\n`;
      unchecked += value;
    }
    if (name === 'Content-Length') bodyLength = value;
  }
  return { text, bodyLength, isAscii: PLAIN_VALUE.test(unchecked) || checkWide(unchecked) };
}

const REFUSALS: Readonly<Record<Refusal, string>> = {
  400: '400 Bad Request',
  408: '408 Request Timeout',
  417: '417 Expectation Failed',
  503: '503 Service Unavailable\r\nRetry-After: 1',
};

/** The answer to a request that no handler sees; the last one of its connection. */
export const refusalText = (status: Refusal): string =>
  `HTTP/1.1 ${REFUSALS[status]}\r\nContent-Length: 0\r\n${formatEnding('cut')}`;

/** Longer than clients keep idle connections, so that the server does not close one that is about to be used. */
export const KEPT_SECONDS = 120;

/** How a head ends: the connection may be reused, the client asked to close it, or the server closes it on its own. */
export type Ending = 'kept' | 'closed' | 'cut';

let current: Readonly<Record<Ending, string>> | undefined;

/** Cached for a second. */
export function formatEnding(ending: Ending): string {
  if (current) return current[ending];
  const now = systemClock();
  const date = `Date: ${formatHttpDate(now)}\r\n`;
  const untilNext = 1_000 - Number((now / 10_000n) % 1_000n);
  setTimeout(() => {
    current = undefined;
  }, untilNext).unref();
  current = {
    kept: `${date}Connection: keep-alive\r\nKeep-Alive: timeout=${KEPT_SECONDS}\r\n\r\n`,
    closed: `${date}Connection: close\r\n\r\n`,
    cut: `Connection: close\r\n${date}\r\n`,
  };
  return current[ending];
}

export const isStreamed = (response: WireResponse | StreamedResponse): response is StreamedResponse =>
  typeof response.body === 'object' && !Buffer.isBuffer(response.body);

/** Answers to HEAD, and those with these statuses, end with the head, whatever length it names. */
export const endsWithHead = (status: number, method: string): boolean =>
  method === 'HEAD' || status === 204 || status === 304;

/** @throws RangeError where a client would misread the end of an answer. */
function checkLength({ bodyLength }: ResponseHead, length: number): void {
  if (Number(bodyLength) !== length) throw new RangeError(`An answer of ${length} bytes says ${bodyLength}.`);
}

/** With as many bytes as characters it is all ASCII. Otherwise the head is encoded like the body, as Node does. */
function encodingOf(text: string, head: ResponseHead): 'latin1' | 'utf8' {
  if (head.isAscii && Number(head.bodyLength) === text.length) return 'latin1';
  checkLength(head, Buffer.byteLength(text));
  return text === '' ? 'latin1' : 'utf8';
}

/**
 * @returns whether the client keeps pace.
 * @throws for an answer that must not be written; nothing of it was.
 */
export function writeResponse(
  socket: Socket,
  response: WireResponse,
  method: string,
  ending: Ending,
): boolean {
  const head = formatHead(response);
  const { status, body = '' } = response;
  const text = head.text + formatEnding(ending);
  if (endsWithHead(status, method)) return socket.write(text, 'latin1');
  if (typeof body === 'string') return socket.write(text + body, encodingOf(body, head));
  checkLength(head, body.length);
  if (body.length <= JOINED_BYTES_MAX) return socket.write(text + body.toString('latin1'), 'latin1');
  return writeBuffer(socket, text, body);
}

/** Memory that a body shares with others is released once the system has taken it. */
function writeBuffer(socket: Socket, head: string, body: Buffer): boolean {
  const whole = withHead(head, body);
  if (whole === undefined) {
    socket.cork();
    socket.write(head, 'latin1');
  }
  const isFlushed = socket.write(whole ?? body);
  if (whole === undefined) socket.uncork();
  if (socket.writableLength === 0) releaseBuffer(body);
  return isFlushed;
}
