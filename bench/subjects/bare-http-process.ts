// Bare node:http: repeats answers of Shelfmark, sends a file for any other GET, and writes the body of a PUT to a new file; file and
// name are synced before it answers. Its arguments: the file of the answers, the path and the length of the file that it sends.
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { RepeatedAnswer } from './bare-subject.js';

const [answersFile = '', path = '', length = '0'] = process.argv.slice(2);
const ANSWERS = (JSON.parse(readFileSync(answersFile, 'utf8')) as readonly RepeatedAnswer[]).map(answer => ({
  ...answer,
  body: Buffer.from(answer.body, 'base64'),
}));
writeFileSync(path, Buffer.alloc(Number(length), 'content'));
let written = 0;

/** @returns the name of the file. */
async function write(body: IncomingMessage): Promise<string> {
  written += 1;
  const name = `${path}-written-${written}`;
  const file = await open(name, 'wx');
  for await (const piece of body) await file.write(piece);
  await file.datasync();
  await file.close();
  const directory = await open(dirname(path), 'r');
  await directory.sync();
  await directory.close();
  return name;
}

const server = createServer((request, response) => {
  if (request.method === 'PUT') {
    write(request).then(
      name => {
        response.writeHead(201, { 'Content-Length': 0 }).end();
        // The next runs need the space.
        void unlink(name);
      },
      error => response.destroy(error),
    );
    return;
  }
  const answer = ANSWERS.find(({ text }) => request.url?.includes(text));
  if (answer !== undefined) {
    response.writeHead(answer.status, [...answer.headers]).end(answer.body);
    return;
  }
  response.writeHead(200, { 'Content-Length': length, 'Content-Type': 'application/octet-stream' });
  pipeline(createReadStream(path), response).catch(error => response.destroy(error));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`bare node:http answers at port ${port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
