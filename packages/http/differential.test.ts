// Sends the same bytes to this server and to Node's own: what this one accepts Node accepts too, and reads alike. The
// test names everything that Node accepts and this server does not. Bytes come from a seed; HTTP_FUZZ_SEED and
// HTTP_FUZZ_RUNS repeat and prolong a run.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { isHost } from './host.js';
import { listen, type Respond } from './listen.js';
import { connect, drain } from './testing/raw-socket.js';
import { collecting, turns } from './testing/stream-listener.js';

interface Seen {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** A server that records its requests. */
interface Server {
  readonly host: string;
  readonly port: number;
  take(): readonly Seen[];
  close(): Promise<void>;
}

/** @param streams bodies that do not come with their heads are read piece by piece. */
async function openOurs(streams: boolean): Promise<Server> {
  const seen: Seen[] = [];
  const see: Respond = async request => {
    const { method, target, headers } = request;
    let body = request.body.toString('latin1');
    for await (const piece of request.stream ?? []) body += piece.toString('latin1');
    seen.push({ method, target, headers: { ...headers }, body });
    return { status: 200, headers: [['Content-Length', '0']], body: undefined };
  };
  const listener = await listen({ host: '127.0.0.1', port: 0 }, streams ? see : collecting(see));
  return { ...listener, take: () => seen.splice(0), close: () => listener.close() };
}

/** Node loses header names that are words of the language, since its objects have a prototype; this server does not. */
const plain = (headers: http.IncomingHttpHeaders): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]));

async function openNode(): Promise<Server> {
  const seen: { readonly request: http.IncomingMessage; readonly chunks: Buffer[] }[] = [];
  const server = http.createServer({ maxHeaderSize: 65_536 }, (request, response) => {
    const chunks: Buffer[] = [];
    seen.push({ request, chunks });
    request.on('error', () => undefined);
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => response.end());
  });
  // Requests before the fault still have to be handed on.
  server.on('clientError', (_error, socket) => setImmediate(() => setImmediate(() => socket.destroy())));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const take = (): readonly Seen[] =>
    seen
      .splice(0)
      .filter(({ request }) => request.complete)
      .map(({ request: { method = '', url: target = '', headers }, chunks }) => {
        const body = Buffer.concat(chunks).toString('latin1');
        return { method, target, headers: plain(headers), body };
      });
  const close = (): Promise<void> =>
    new Promise(resolve => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { host: '127.0.0.1', port: address.port, take, close };
}

/**
 * Sends the pieces; if they are to arrive apart, each one after the previous one was read. Then ends, and waits for the
 * other side to end.
 */
async function send(server: Server, pieces: readonly Buffer[], isApart = false): Promise<string> {
  const socket = connect(server);
  const answer = drain(socket);
  for (const piece of pieces) {
    const written = new Promise(resolve => socket.write(piece, resolve));
    if (isApart) await written.then(turns);
    else await new Promise(resolve => setImmediate(resolve));
  }
  socket.end();
  return answer;
}

/** What Node accepts and this server does not: how the bytes look, or the first request that only Node accepted. */
const STRICTER: Readonly<Record<string, (text: string, missed: Seen) => boolean>> = {
  'an empty line before a request ends with CR LF': text => /(?:^|[^\r])\n|\r(?!\n)/.test(text),
  'one space before and behind the target': text => /[A-Z] {2,}| {2,}HTTP/.test(text),
  'versions 1.0 and 1.1': (text, { target }) =>
    /HTTP\/(?:0\.9|2\.0)|^[A-Z-]+ \S+ *\r\n/m.test(text) || text.includes(` ${target}\r\n`),
  'the asterisk stands alone': (_text, { target }) => /^\*./.test(target),
  'hosts in targets are hosts, without users': (_text, { target }) => /^[A-Za-z]+:/.test(target),
  'no coding but chunked, named once': (_text, { headers }) =>
    /^(?!chunked$)/i.test(headers['transfer-encoding'] ?? 'chunked'),
  'no coding in HTTP/1.0': (text, { headers }) =>
    headers['transfer-encoding'] !== undefined && text.includes('HTTP/1.0'),
  'lengths have fifteen digits at most': (_text, { headers }) =>
    /^\d{16}/.test(headers['content-length'] ?? ''),
  'sizes of chunks have thirteen digits at most': text => /^[\da-f]{14}/im.test(text),
  'extensions of chunks have a value behind their sign, and quotes without escapes': text =>
    /^[\da-f]+;.*(?:=[;\r]|\\)/im.test(text),
  'an expectation but 100-continue, once, ends the connection': text =>
    /expect:(?![ \t]*100-continue[ \t]*\r\n(?!(?:.+\r\n)*expect:))/i.test(text),
  'no trailer says how the connection goes on': text => /\n0\r\n(?:.+\r\n)*connection:/i.test(text),
  'one host, and one that is a host': (text, { headers }) =>
    /^host:.*\r\n(?:.+\r\n)*host:/im.test(text) || !isHost(headers.host ?? ''),
  'no host ends the connection': text => /HTTP\/1\.1\r\n(?!(?:[^\r]+\r\n)*host:)/i.test(text),
};

/** This server puts a host from the target, or its default, in place of the field; Node hands the field on as sent. */
function withHostOf(there: Seen | undefined, here: Seen): Seen {
  const isSent =
    here.target.startsWith('/') && there?.headers.host !== undefined && there.headers.host !== '';
  if (isSent || there === undefined) return here;
  const { host: _settled, ...headers } = here.headers;
  const { host } = there.headers;
  return { ...here, headers: host === undefined ? headers : { ...headers, host } };
}

interface Case {
  readonly name: string;
  readonly pieces: readonly string[];
  /** The answer: the statuses, and the host of each request that was handed on. Node's, where they differ. */
  readonly here: readonly string[];
  readonly there?: readonly string[];
}

const ANSWER = 'HTTP/1.1 200 OK';
const BAD = 'HTTP/1.1 400 Bad Request';
const BODY = 'Content-Length: 2\r\n\r\n';
const GO_ON = 'HTTP/1.1 100 Continue';

/** Cases that were found one by one. OWN is the address of the server. */
const CASES: readonly Case[] = [
  ...[
    ...['a b', 'a/b', 'u@h', 'a,b', 'h:port', 'h:65536', '[::1', '[1:2]', 'h?', '%zz', 'http://h'],
    ...['h\r\nHost: i', 'h\r\nhost: h'],
  ].map(host => ({
    name: `${host} is no host`,
    pieces: [`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    here: [BAD],
    there: [host.replace(/\r.*/s, ''), ANSWER],
  })),
  ...['h:80', '[::1]:8080', 'a_b.example', '127.0.0.1', 'h:', 'xn--bcher-kva.example:1'].map(host => ({
    name: `${host} is a host`,
    pieces: [`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    here: [host, ANSWER],
  })),
  {
    name: 'an empty host: the address that was reached',
    pieces: ['GET / HTTP/1.1\r\nHost:\r\n\r\n'],
    here: ['OWN', ANSWER],
    there: ['', ANSWER],
  },
  {
    name: 'no host in HTTP/1.0: the same',
    pieces: ['GET / HTTP/1.0\r\n\r\n'],
    here: ['OWN', ANSWER],
    there: ['undefined', ANSWER],
  },
  {
    name: 'the host of an absolute target counts',
    pieces: ['GET http://t:81/a HTTP/1.1\r\nHost: h\r\n\r\n'],
    here: ['t:81', ANSWER],
    there: ['h', ANSWER],
  },
  {
    name: 'also behind a request with another host',
    pieces: [
      'GET / HTTP/1.1\r\nHost: h\r\n\r\nGET HTTPS://t?a HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n',
    ],
    here: ['h', 't', 'h', ANSWER, ANSWER, ANSWER],
    there: ['h', 'h', 'h', ANSWER, ANSWER, ANSWER],
  },
  {
    name: 'an absolute target does without no field',
    pieces: ['GET http://t/ HTTP/1.1\r\n\r\n'],
    here: [BAD],
  },
  ...['ftp://t/', 'httpx://t/', 'urn://t', 'http://u@t/', 'http:///a', 'http://t:x/'].map(target => ({
    name: `the target ${target}`,
    pieces: [`GET ${target} HTTP/1.1\r\nHost: h\r\n\r\n`],
    here: [BAD],
    there: ['h', ANSWER],
  })),
  {
    name: 'an empty line behind the last request, whole or cut, begins none',
    pieces: ['GET / HTTP/1.1\r\nHost: h\r\n\r\n\r\n', '\r', '\n\r\n'],
    here: ['h', ANSWER],
  },
  {
    name: 'empty lines before a request, whole or cut',
    pieces: ['\r\n\r', '\n\r\nGET / HTTP/1.1\r\nHo', 'st: h\r\n\r\n'],
    here: ['h', ANSWER],
  },
  {
    name: 'half an empty line before a request',
    pieces: ['\rGET / HTTP/1.1\r\nHost: h\r\n\r\n'],
    here: [BAD],
    there: ['h', ANSWER],
  },
  {
    name: 'a body that is held back until it is asked for',
    pieces: [`PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n${BODY}`, 'xx'],
    here: ['h', GO_ON, ANSWER],
  },
  {
    name: 'who does not wait is not told to go on',
    pieces: [`PUT / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n${BODY}xx`],
    here: ['h', ANSWER],
    there: ['h', GO_ON, ANSWER],
  },
];

test('cases: the answers of this server, and of Node', { timeout: 120_000 }, async context => {
  const [ours, node] = await Promise.all([openOurs(false), openNode()]);
  context.after(() => Promise.all([ours.close(), node.close()]));
  const seenBy = async (server: Server, pieces: readonly string[]): Promise<readonly string[]> => {
    const bytes = pieces.map(piece => Buffer.from(piece, 'latin1'));
    const text = await send(server, bytes, pieces.length > 1);
    const own = `127.0.0.1:${server.port}`;
    const hosts = server.take().map(({ headers }) => String(headers.host).replace(own, 'OWN'));
    const answers = text.split(/(?=HTTP\/1)/).filter(each => each !== '');
    for (const each of answers)
      if (!each.includes(' 100 ') && server === ours) assert.match(each, /\r\nDate: \w{3}, .* GMT\r\n/);
    return [...hosts, ...answers.map(each => each.slice(0, each.indexOf('\r\n')))];
  };
  for (const { name, pieces, here, there = here } of CASES) {
    assert.deepEqual(await seenBy(ours, pieces), here, name);
    assert.deepEqual(await seenBy(node, pieces), there, `${name}, by node`);
  }
});

/** Mostly one of the good ones. */
const mostly = (good: readonly string[], ...others: readonly fc.Arbitrary<string>[]) =>
  fc.oneof(
    { arbitrary: fc.constantFrom(...good), weight: 12 },
    ...others.map(arbitrary => ({ arbitrary, weight: 1 })),
  );

const method = mostly(
  ['GET', 'POST', 'PUT', 'MERGE', 'DELETE', 'OPTIONS', 'M-SEARCH', 'HEAD'],
  fc.constantFrom('X', 'get', 'GETT', 'PRI', 'CONNECT', 'GE'),
);
const target = mostly(
  ['/', '/a/b?c=d', "/T(PartitionKey='%20',RowKey='')", '*', 'http://h:1/a?b', '/a#b', '/"<>^`{|}\\', '//x'],
  fc.constantFrom('a', '', '/\u00e9', '?a', 'HTTP://[::1]/', '/a b', '*a', 'http://u@h/', 'http://', ' /'),
);
const version = mostly(
  ['HTTP/1.1'],
  fc.constantFrom('HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'HTTP/1.1 ', ''),
);
const name = fc.constantFrom(
  ...['Accept', 'x-date', 'X-Date', 'Cookie', 'Set-Cookie', 'Age', 'If-Match', 'Referer', 'a'],
  ...['constructor1', 'Connection', 'Expect', 'Upgrade', 'Etag', "!#$%&'*+-.^_`|~", 'User-Agent', 'Trailer'],
);
const value = mostly(
  [
    '',
    'x',
    ' x\t',
    'a, b',
    'close',
    'keep-alive',
    '100-continue',
    '\u00e9\u00ff',
    '"q"',
    'x: y',
    'a, Close ,b',
  ],
  fc.string({ maxLength: 6, unit: fc.integer({ min: 0, max: 255 }).map(code => String.fromCharCode(code)) }),
);
const field = fc.oneof(
  { arbitrary: fc.tuple(name, value).map(([left, right]) => `${left}: ${right}\r\n`), weight: 20 },
  {
    arbitrary: fc.constantFrom(
      'a : b\r\n',
      ' a: b\r\n',
      'a\r\n',
      ': b\r\n',
      'a: b\n',
      'a:b\r\n',
      'a:\t b \r\n',
      'Host: i\r\n',
    ),
    weight: 1,
  },
);
const content = fc.string({ maxLength: 20 }).map(text => Buffer.from(text, 'latin1').toString('latin1'));
const chunkOf = (text: string, extension: string): string =>
  text === '' ? '' : `${text.length.toString(16)}${extension}\r\n${text}\r\n`;
const extension = fc.constantFrom(
  '',
  '',
  '',
  ';a',
  ';a=b',
  ';a="b c";d',
  ' ',
  ';',
  ';a=',
  ';a=b c',
  ' ;a',
  ';a="\\""',
);
const chunked = fc
  .tuple(fc.array(fc.tuple(content, extension), { maxLength: 3 }), fc.array(field, { maxLength: 1 }))
  .map(([chunks, trailers]) => {
    const pieces = chunks.map(([text, added]) => chunkOf(text, added)).join('');
    return `Transfer-Encoding: chunked\r\n\r\n${pieces}0\r\n${trailers.join('')}\r\n`;
  });
const sized = content.map(text => `Content-Length: ${text.length}\r\n\r\n${text}`);
const odd = fc.constantFrom(
  ...['Content-Length: 0x1\r\n\r\na', 'Content-Length: +1\r\n\r\na', 'Content-Length: 1, 1\r\n\r\na'],
  ...[
    'Content-Length: 01\r\n\r\na',
    'Content-Length:\r\n\r\n',
    'Content-Length: 1\r\nContent-Length: 1\r\n\r\na',
  ],
  ...['Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 'Transfer-Encoding: gzip\r\n\r\n'],
  ...['Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n', 'Transfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n'],
  ...['Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n', 'Transfer-Encoding:\r\n\r\n'],
  ...[
    'Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n',
    'Transfer-Encoding: chunked\r\n\r\n1\r\nab0\r\n\r\n',
  ],
);
const end = fc.oneof(
  { arbitrary: fc.constant('\r\n'), weight: 4 },
  { arbitrary: sized, weight: 4 },
  { arbitrary: chunked, weight: 4 },
  { arbitrary: odd, weight: 1 },
);
const request = fc
  .tuple(method, target, version, fc.array(field, { maxLength: 4 }), end, fc.nat({ max: 20 }))
  .map(([verb, path, which, fields, rest, chance]) => {
    const host = chance === 0 ? '' : 'Host: h\r\n';
    return `${chance === 1 ? '\r\n' : ''}${verb} ${path} ${which}\r\n${host}${fields.join('')}${rest}`;
  });
const splice = fc.tuple(
  fc.nat(),
  fc.nat({ max: 2 }),
  fc.oneof(
    fc.constantFrom('', '\r', '\n', '\r\n', ' ', '\t', ':', '\0', '0', ';', ',', '\u0080'),
    fc.integer({ min: 0, max: 255 }).map(code => String.fromCharCode(code)),
  ),
);
const sent = fc.record({
  requests: fc.array(request, { minLength: 1, maxLength: 3 }),
  splices: fc.oneof(fc.constant([]), fc.array(splice, { maxLength: 2 })),
  cuts: fc.array(fc.nat(), { maxLength: 3 }),
});

test('what this server accepts Node accepts too, and reads alike', async context => {
  const seed = Number(process.env.HTTP_FUZZ_SEED ?? 20_261_121);
  const numRuns = Number(
    process.env.HTTP_FUZZ_RUNS ?? (process.env.SHELFMARK_LONG === undefined ? 200 : 1_500),
  );
  context.diagnostic(
    `HTTP_FUZZ_SEED=${seed} HTTP_FUZZ_RUNS=${numRuns} node dist/tools/run-tests.js differential`,
  );
  const [ours, streaming, node] = await Promise.all([openOurs(false), openOurs(true), openNode()]);
  context.after(() => Promise.all([ours.close(), streaming.close(), node.close()]));
  let both = 0;
  const reached = new Set<string>();
  const property = fc.asyncProperty(sent, async ({ requests, splices, cuts }) => {
    let text = requests.join('');
    for (const [place, removed, added] of splices) {
      const at = place % (text.length + 1);
      text = text.slice(0, at) + added + text.slice(at + removed);
    }
    const places = [0, ...cuts.map(cut => cut % (text.length + 1)).sort((a, b) => a - b), text.length];
    const pieces = places.slice(1).map((until, i) => Buffer.from(text.slice(places[i], until), 'latin1'));
    await Promise.all([ours, streaming, node].map(server => send(server, pieces)));
    const there = node.take();
    const here = ours.take().map((seen, i) => withHostOf(there[i], seen));
    const streamed = streaming.take().map((seen, i) => withHostOf(there[i], seen));
    assert.deepEqual(streamed, here, `as streams ${JSON.stringify(text)}`);
    both += here.length;
    assert.deepEqual(here, there.slice(0, here.length), JSON.stringify(text));
    const missed = there[here.length];
    if (!missed) return;
    const reasons = Object.keys(STRICTER).filter(reason => STRICTER[reason]?.(text, missed));
    for (const reason of reasons) reached.add(reason);
    assert.ok(reasons.length > 0, `Only node takes ${JSON.stringify(text)}`);
  });
  await fc.assert(property, { seed, numRuns });
  context.diagnostic(`${both} requests were taken by both; stricter: ${[...reached].join('; ')}`);
  assert.ok(both > numRuns / 2, `${both} requests were taken by both`);
});
