// Multipart bodies: changesets and queries, with the variations of line ends, heads and numbers that clients use.
import fc from 'fast-check';
import { below, chance, from, oneOf, seldom, several } from '../../random/arbitrary.js';
import { insert, type PlainRequest, point, request, write } from './operation-text.js';

const BOUNDARY = from(['batch_1', 'b', 'changeset_2', 'a b', "x'()+_,-./:=?"]);
const HOST = from(['http://127.0.0.1:10002', 'http://127.0.0.1:10002', '', 'https://elsewhere']);

interface Part {
  readonly sent: PlainRequest;
  readonly host: string;
  readonly isNumbered: boolean;
}

const partOf = (sent: fc.Arbitrary<PlainRequest>): fc.Arbitrary<Part> =>
  fc.tuple(sent, HOST, chance(80)).map(([sent, host, isNumbered]) => ({ sent, host, isNumbered }));

function partText({ sent, host, isNumbered }: Part, number: number, account: string, end: string): string {
  const query = sent.query === '' ? '' : `?${sent.query}`;
  const lines = ['Content-Type: application/http', 'Content-Transfer-Encoding: binary', ''];
  lines.push(`${sent.method} ${host}/${account}/${sent.path}${query} HTTP/1.1`);
  if (isNumbered) lines.push(`Content-ID: ${number}`);
  for (const [name, value] of Object.entries(sent.headers)) lines.push(`${name}: ${value}`);
  lines.push('', sent.body);
  return lines.join(end);
}

const delimited = (boundary: string, parts: readonly string[], end: string): string =>
  `${parts.map(part => `--${boundary}${end}${part}${end}`).join('')}--${boundary}--${end}`;

const sameWrite = request({
  method: from(['PUT', 'MERGE', 'PATCH']),
  headers: { accept: 'application/json;odata=nometadata', 'content-type': 'application/json' },
  body: '{"n":1}',
});
const onePartition = (writes: fc.Arbitrary<Part[]>): fc.Arbitrary<Part[]> =>
  fc.tuple(below(100), writes).map(([row, parts]) =>
    parts.map((part, at) => {
      const path = `People(PartitionKey='p',RowKey='${row + at}')`;
      return { ...part, sent: { ...part.sent, path } };
    }),
  );
const onePart = partOf(sameWrite);
const anyPart = partOf(oneOf([49, insert], [49, write], [2, point]));

/** Most writes of a changeset go to one partition, or no changeset would ever be carried out. */
const changes = oneOf(
  [58, onePartition(several(onePart, 1, 5))],
  [2, onePartition(several(onePart, 101, 101))],
  [40, several(anyPart, 0, 4)],
);

interface Style {
  readonly account: string;
  readonly outer: string;
  readonly inner: string;
  readonly end: string;
}

const styleOf = (account: fc.Arbitrary<string>): fc.Arbitrary<Style> =>
  fc
    .tuple(account, BOUNDARY, BOUNDARY, seldom(20, fc.constant('\n'), fc.constant('\r\n')))
    .map(([account, outer, inner, end]) => ({ account, outer, inner, end }));

function changesetText(parts: readonly Part[], { account, inner, end }: Style): string {
  const texts = parts.map((part, number) => partText(part, number, account, end));
  return `Content-Type: multipart/mixed; boundary="${inner}"${end}${end}${delimited(inner, texts, end)}`;
}

export function batch(account: fc.Arbitrary<string>): fc.Arbitrary<PlainRequest> {
  const style = styleOf(account);
  const queried = fc
    .tuple(partOf(point), style)
    .map(([part, one]) => [partText(part, 0, one.account, one.end), one] as const);
  const changed = fc.tuple(changes, style).map(([parts, one]) => [changesetText(parts, one), one] as const);
  return fc
    .tuple(seldom(25, queried, changed), from(['"', '']), chance(3))
    .map(([[section, { outer, end }], mark, isTwice]) => ({
      method: 'POST',
      path: '$batch',
      query: '',
      headers: { 'content-type': `multipart/mixed; boundary=${mark}${outer}${mark}` },
      body: delimited(outer, isTwice ? [section, section] : [section], end),
    }));
}
