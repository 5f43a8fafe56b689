// Multipart bodies: changesets and queries, with the variations of line ends, heads and numbers that clients use.
import type { Random } from '../../simulation/plan/random.js';
import { insert, type PlainRequest, point, write } from './operation-text.js';

const BOUNDARIES = ['batch_1', 'b', 'changeset_2', 'a b', "x'()+_,-./:=?"];

interface Style {
  readonly end: string;
  readonly account: string;
}

function partText(random: Random, part: PlainRequest, number: number, { end, account }: Style): string {
  const host = random.pick(['http://127.0.0.1:10002', 'http://127.0.0.1:10002', '', 'https://elsewhere']);
  const query = part.query === '' ? '' : `?${part.query}`;
  const lines = ['Content-Type: application/http', 'Content-Transfer-Encoding: binary', ''];
  lines.push(`${part.method} ${host}/${account}/${part.path}${query} HTTP/1.1`);
  if (random.happens(0.8)) lines.push(`Content-ID: ${number}`);
  for (const [name, value] of Object.entries(part.headers)) lines.push(`${name}: ${value}`);
  lines.push('', part.body);
  return lines.join(end);
}

const delimited = (boundary: string, parts: readonly string[], end: string): string =>
  `${parts.map(part => `--${boundary}${end}${part}${end}`).join('')}--${boundary}--${end}`;

/** Most writes of a changeset go to one partition, or no changeset would ever be carried out. */
function samePartition(random: Random): PlainRequest[] {
  const row = random.below(100);
  const count = random.pick([1, 2, 3, 5, random.happens(0.1) ? 101 : 4]);
  return Array.from({ length: count }, (_, i) => ({
    method: random.pick(['PUT', 'MERGE', 'PATCH']),
    path: `People(PartitionKey='p',RowKey='${row + i}')`,
    query: '',
    headers: { accept: 'application/json;odata=nometadata', 'content-type': 'application/json' },
    body: '{"n":1}',
  }));
}

function changeset(random: Random, style: Style): readonly [type: string, text: string] {
  const boundary = random.pick(BOUNDARIES);
  const parts = random.happens(0.6)
    ? samePartition(random)
    : Array.from({ length: random.below(4) }, () => random.pick([insert, write])(random));
  if (random.happens(0.02)) parts.push(point(random));
  const texts = parts.map((part, number) => partText(random, part, number, style));
  return [`multipart/mixed; boundary="${boundary}"`, delimited(boundary, texts, style.end)];
}

export function someBatch(random: Random, account: string): PlainRequest {
  const style = { end: random.happens(0.8) ? '\r\n' : '\n', account };
  const boundary = random.pick(BOUNDARIES);
  const isQuery = random.happens(0.25);
  const [type, text] = changeset(random, style);
  const section = isQuery
    ? partText(random, point(random), 0, style)
    : `Content-Type: ${type}${style.end}${style.end}${text}`;
  const mark = random.happens(0.5) ? '"' : '';
  const sections = random.happens(0.97) ? [section] : [section, section];
  return {
    method: 'POST',
    path: '$batch',
    query: '',
    headers: { 'content-type': `multipart/mixed; boundary=${mark}${boundary}${mark}` },
    body: delimited(boundary, sections, style.end),
  };
}
