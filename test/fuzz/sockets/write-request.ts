// A request as the bytes of HTTP/1.1, in one of the many ways in which clients may write it.
import fc from 'fast-check';
import { chance, from, several, weighted } from '../../random/arbitrary.js';
import type { FuzzRequest } from '../direct/some-request.js';

type Line = readonly [spell: (name: string) => string, before: string, after: string];

const asIs = (name: string): string => name;
const capitals = (name: string): string => name.replace(/(?:^|-)[a-z]/g, letter => letter.toUpperCase());
const LINE: fc.Arbitrary<Line> = fc.tuple(
  from([asIs, capitals, (name: string) => name.toUpperCase()]),
  from([' ', ' ', '', '\t  ']),
  from(['', '', ' ']),
);

interface Style {
  /** Used in turn. */
  readonly lines: readonly Line[];
  /** Bytes of the chunks, in turn; none sends the length instead. */
  readonly chunks: readonly (readonly [bytes: number, digits: (size: number) => string, extension: string])[];
  readonly saysNoLength: boolean;
  readonly expects: boolean;
  readonly before: string;
  readonly trailer: string;
}

const CHUNK = fc.tuple(
  weighted([1, 1], [1, 7], [1, 200], [1, 9_000], [1, 70_000]),
  from([
    (size: number) => size.toString(16),
    (size: number) => size.toString(16).toUpperCase().padStart(4, '0'),
  ]),
  weighted([9, ''], [1, ';a=b;c="d e"']),
);

const PLAIN: Style = {
  lines: [[asIs, ' ', '']],
  chunks: [],
  saysNoLength: true,
  expects: false,
  before: '',
  trailer: '',
};

export const styles: fc.Arbitrary<Style> = fc.record({
  lines: several(LINE, 1, 6),
  chunks: several(CHUNK, 0, 8),
  saysNoLength: chance(70),
  expects: chance(5),
  before: weighted([97, ''], [3, '\r\n']),
  trailer: weighted([9, ''], [1, 'X-Trailer: x\r\n']),
});

/** The server bounds their bytes in a body (packages/http/chunked-body.ts). */
const EXTENSIONS_MAX = 100;

function chunked(body: string, { chunks, trailer }: Style): string {
  let all = '';
  for (let at = 0, turn = 0; at < body.length; turn += 1) {
    const [bytes, digits, extension] = chunks[turn % chunks.length] ?? [body.length, String, ''];
    // One byte at a time only in small bodies.
    const piece = body.slice(at, at + Math.max(bytes, Math.ceil(body.length / 2_000)));
    all += `${digits(piece.length)}${turn < EXTENSIONS_MAX ? extension : ''}\r\n${piece}\r\n`;
    at += piece.length;
  }
  return `${all}0\r\n${trailer}\r\n`;
}

/** Well-formed, and so that the connection stays open. A character is a byte. */
export function writeRequest({ method, target, headers, body }: FuzzRequest, style = PLAIN): string {
  const { lines, chunks, saysNoLength, expects, before } = style;
  const isChunked = body.length > 0 && chunks.length > 0;
  const framing: (readonly [string, string])[] = [];
  if (isChunked) framing.push(['transfer-encoding', 'chunked']);
  else if (body.length > 0 || !saysNoLength) framing.push(['content-length', String(body.length)]);
  if (body.length > 0 && expects) framing.push(['expect', '100-continue']);
  const head = [...Object.entries(headers), ...framing].map(([name, value], at) => {
    const [spell, space, end] = lines[at % lines.length] ?? [asIs, ' ', ''];
    return `${spell(name)}:${space}${value}${end}\r\n`;
  });
  return `${before}${method} ${target} HTTP/1.1\r\n${head.join('')}\r\n${isChunked ? chunked(body, style) : body}`;
}
