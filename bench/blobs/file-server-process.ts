// Bare node:http: answers every request with the file that its argument names, read while it is sent. What a download of a blob is compared with.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { pipeline } from 'node:stream/promises';

const path = process.argv[2] ?? '';
const { size } = statSync(path);

const server = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Length': size, 'Content-Type': 'application/octet-stream' });
  pipeline(createReadStream(path), response).catch(error => response.destroy(error));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`bare node:http sends a file at port ${port}\n`);
});
process.once('SIGTERM', () => process.exit(0));
