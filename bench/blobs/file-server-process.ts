// Bare node:http: answers a GET with the file that its argument names, read while it is sent, and writes the body of a PUT to a file beside it, synced before it
// answers. What transfers of a blob are compared with.
import { createReadStream, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';

const path = process.argv[2] ?? '';
const { size } = statSync(path);

async function write(body: IncomingMessage): Promise<void> {
  const file = await open(`${path}-written`, 'w');
  for await (const piece of body) await file.write(piece);
  await file.datasync();
  await file.close();
}

const server = createServer((request, response) => {
  if (request.method === 'PUT') {
    write(request).then(
      () => response.writeHead(201, { 'Content-Length': 0 }).end(),
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
