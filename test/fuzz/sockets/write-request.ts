// A request as the bytes of HTTP/1.1, in one of the many ways in which clients may write it.
import type { Random } from '../../simulation/plan/random.js';
import type { FuzzRequest } from '../direct/some-request.js';

const spelled = (random: Random, name: string): string =>
  random.pick([name, name.toUpperCase(), name.replace(/(?:^|-)[a-z]/g, letter => letter.toUpperCase())]);

function chunks(random: Random, body: Buffer): Buffer {
  const pieces: (string | Buffer)[] = [];
  for (let at = 0; at < body.length; ) {
    const size = random.between(1, Math.max(1, Math.min(body.length - at, random.pick([1, 7, 300, 70_000]))));
    const digits = random.happens(0.5) ? size.toString(16) : size.toString(16).toUpperCase().padStart(4, '0');
    const extension = random.happens(0.1) ? ';a=b;c="d e"' : '';
    pieces.push(`${digits}${extension}\r\n`, body.subarray(at, at + size), '\r\n');
    at += size;
  }
  pieces.push('0\r\n', random.happens(0.1) ? 'X-Trailer: x\r\n' : '', '\r\n');
  return Buffer.concat(
    pieces.map(piece => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)),
  );
}

/** Well-formed, and keeps the connection open. */
export function writeRequest(random: Random, { method, target, headers, body }: FuzzRequest): Buffer {
  const isChunked = body.length > 0 && random.happens(0.9);
  const framing: (readonly [string, string])[] = [];
  if (isChunked) framing.push(['transfer-encoding', 'chunked']);
  else if (body.length > 0 || random.happens(0.3)) framing.push(['content-length', String(body.length)]);
  if (body.length > 0 && random.happens(0.05)) framing.push(['expect', '100-continue']);
  const lines = [...Object.entries(headers), ...framing].map(
    ([name, value]) =>
      `${spelled(random, name)}:${random.pick([' ', ' ', '', '\t  '])}${value}${random.pick(['', '', ' '])}\r\n`,
  );
  const before = random.happens(0.03) ? '\r\n' : '';
  const head = `${before}${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), isChunked ? chunks(random, body) : body]);
}
