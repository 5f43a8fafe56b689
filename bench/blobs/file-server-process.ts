// Bare node:http: answers a GET with the file that its argument names, read while it is sent, and writes the body of a
// PUT to a new file next to it; file and name are synced before it answers. The list of blocks is a PUT like others.
// The reference for transfers of a blob.
import { createReadStream, statSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';

const path = process.argv[2] ?? '';
const { size } = statSync(path);

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
  response.writeHead(200, { 'Content-Length': size, 'Content-Type': 'application/octet-stream' });
  pipeline(createReadStream(path), response).catch(error => response.destroy(error));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`bare node:http sends a file at port ${port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
