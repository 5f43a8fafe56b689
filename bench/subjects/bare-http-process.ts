// Bare node:http: answers every request with the same bytes, those of an answer of Shelfmark: the upper bound for a
// server on node:http. Its argument is the file that holds the answer.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

function decodeAnswer(text: string): { status: number; headers: string[]; body: Buffer } {
  const { status, headers, body } = JSON.parse(text) as { status: number; headers: string[]; body: string };
  return { status, headers, body: Buffer.from(body, 'base64') };
}

const { status, headers, body } = decodeAnswer(readFileSync(process.argv[2] ?? '', 'utf8'));

const server = createServer((_request, response) => {
  response.writeHead(status, headers);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`bare node:http answers at port ${port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
