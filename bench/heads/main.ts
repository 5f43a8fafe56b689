// Measures the HTTP server's cost for a packet of a request's head, by the part of the head before it: little, a long
// value, a long target, many lines; and empty lines. It should be the same after all of them. Prints the table of
// docs/benchmarks.md.
//
//   npm run --silent build && node dist/bench/heads/main.js [--build NAME=ROOT,...] [--bytes 1,8,64] [--packets 1000]
//   [--runs 5]
//
// Client and server are in one process, so that each packet is read separately: the client writes the next one after a
// turn of the loop. `bare` is the same without a server that parses: its packets are counted, and none may be merged
// into another. Runs are interleaved; the table has medians, in microseconds of the processor's time.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const { values } = parseArgs({
  options: {
    build: { type: 'string', default: `this=${ROOT}` },
    bytes: { type: 'string', default: '1,8,64' },
    packets: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '5' },
  },
});
const PACKETS = Number(values.packets);

interface Server {
  readonly name: string;
  readonly port: number;
  close(): void;
}

type Listen = (
  options: { readonly host: string; readonly port: number },
  respond: () => Promise<never>,
) => Promise<{ readonly port: number; close(): Promise<void> }>;

let barePackets = 0;

async function openBare(): Promise<Server> {
  const server = net.createServer(socket => {
    socket.on('data', () => {
      barePackets += 1;
    });
    socket.on('error', () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  assert(address !== null && typeof address === 'object');
  return { name: 'bare', port: address.port, close: () => server.close() };
}

async function openBuild(build: string): Promise<Server> {
  const [name = '', root = ''] = build.split('=');
  const url = pathToFileURL(join(root, 'dist/packages/http/index.js')).href;
  const { listen }: { readonly listen: Listen } = await import(url);
  const listener = await listen({ host: '127.0.0.1', port: 0 }, () =>
    Promise.reject(new Error('No head of these is complete.')),
  );
  return { name, port: listener.port, close: () => void listener.close() };
}

const HEAD = 'GET / HTTP/1.1\r\nHost: h\r\n';

/** The beginning of the head, and what each packet adds to it. */
interface Load {
  readonly name: string;
  readonly before: string;
  readonly packet: (bytes: number) => string;
}

const ofValue = (bytes: number): string => 'x'.repeat(bytes);
/** A packet of one byte is a whole line with every fourth. */
const ofLines = (bytes: number): string => (bytes < 4 ? 'a:\r\n' : `a:${'x'.repeat(bytes - 4)}\r\n`);

const LOADS: readonly Load[] = [
  { name: 'value, behind little', before: `${HEAD}A: `, packet: ofValue },
  {
    name: 'value, behind a value of 30 KB',
    before: `${HEAD}B: ${'x'.repeat(30_000)}\r\nA: `,
    packet: ofValue,
  },
  { name: 'lines, behind little', before: HEAD, packet: ofLines },
  { name: 'lines, behind a value of 30 KB', before: `${HEAD}B: ${'x'.repeat(30_000)}\r\n`, packet: ofLines },
  {
    name: 'lines, behind a target of 30 KB',
    before: `GET /${'x'.repeat(30_000)} HTTP/1.1\r\nHost: h\r\n`,
    packet: ofLines,
  },
  {
    name: 'lines, behind 900 lines',
    before: `${HEAD}${`a: ${'x'.repeat(20)}\r\n`.repeat(900)}`,
    packet: ofLines,
  },
  { name: 'empty lines', before: '\r\n', packet: bytes => '\r\n'.repeat(Math.max(1, bytes / 2)) },
];

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Microseconds of a packet. */
async function measure({ port }: Server, { before, packet }: Load, bytes: number): Promise<number> {
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(before);
  for (let i = 0; i < 10; i++) await turn();
  // A head of 64 KiB is refused, and so are 2,000 lines.
  const text = packet(bytes);
  const lines = text.startsWith('a:') ? 1_000 : PACKETS;
  const count = Math.min(PACKETS, lines, Math.floor(32_000 / text.length));
  const piece = Buffer.from(text);
  const begun = process.cpuUsage();
  for (let i = 0; i < count; i++) {
    socket.write(piece);
    await turn();
  }
  const { user, system } = process.cpuUsage(begun);
  assert.equal(socket.readableLength + Number(socket.readableEnded), 0, 'No packet is refused.');
  socket.destroy();
  await turn();
  return (user + system) / count;
}

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

const servers = [await openBare(), ...(await Promise.all(values.build.split(',').map(openBuild)))];
const sizes = values.bytes.split(',').map(Number);
const seen = barePackets;
await measure(servers[0] as Server, LOADS[0] as Load, 1);
assert.equal(barePackets - seen, Math.min(PACKETS, 32_000) + 1, 'Each packet is read by itself.');

console.log(
  `microseconds a packet | ${sizes.flatMap(size => servers.map(({ name }) => `${name}, ${size} bytes`)).join(' | ')}`,
);
for (const load of LOADS) {
  const results = sizes.flatMap(size => servers.map(server => ({ size, server, figures: [] as number[] })));
  for (let run = -1; run < Number(values.runs); run++)
    for (const { size, server, figures } of results) {
      const figure = await measure(server, load, size);
      if (run >= 0) figures.push(figure);
    }
  console.log(`${load.name} | ${results.map(({ figures }) => median(figures).toFixed(1)).join(' | ')}`);
}
for (const server of servers) server.close();
