// Bare node:http: repeats answers of Shelfmark, writes the body of a PUT to a new file, and sends the last whole one for any other GET; file
// and name are synced before it answers. Its arguments: the file of the answers, and where it writes.
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { RepeatedAnswer } from './bare.js';

const [answersFile = '', path = ''] = process.argv.slice(2);
const ANSWERS = (JSON.parse(readFileSync(answersFile, 'utf8')) as readonly RepeatedAnswer[]).map(answer => ({
  ...answer,
  body: Buffer.from(answer.body, 'base64'),
}));
let written = 0;

async function write(body: IncomingMessage): Promise<void> {
  written += 1;
  const name = `${path}-${written}`;
  const file = await open(name, 'wx');
  for await (const piece of body) await file.write(piece);
  await file.datasync();
  await file.close();
  const isPart = body.url?.includes('comp=');
  if (!isPart) await rename(name, path);
  const directory = await open(dirname(path), 'r');
  await directory.sync();
  await directory.close();
  // The next runs need the space.
  if (isPart) void unlink(name);
}

const server = createServer((request, response) => {
  if (request.method === 'PUT') {
    write(request).then(
      () => response.writeHead(201, { 'Content-Length': 0 }).end(),
      error => response.destroy(error),
    );
    return;
  }
  const answer = ANSWERS.find(({ text }) => request.url?.includes(text));
  if (answer !== undefined) {
    response.writeHead(200, answer.headers).end(answer.body);
    return;
  }
  const headers = { 'Content-Length': statSync(path).size, 'Content-Type': 'application/octet-stream' };
  response.writeHead(200, headers);
  pipeline(createReadStream(path), response).catch(error => response.destroy(error));
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`bare node:http answers at port ${port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
