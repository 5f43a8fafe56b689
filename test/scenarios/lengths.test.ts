// The length of a request's body, which a PUT or a POST has to send: by the bytes on a socket (protocol: requests#bounds).
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { type RunningServer, serve } from 'shelfmark';

const ACCOUNT = '/devstoreaccount1';

describe('lengths of bodies', () => {
  let server: RunningServer;
  before(async () => {
    server = await serve({ store: 'memory:', tablePort: 0, queuePort: 0, blobPort: 0, logLevel: 'error' });
  });
  after(() => server.close());

  /** The whole answer to a request without credentials. */
  const ask = (port: number | undefined, method: string, path: string, headers: string, body = '') =>
    new Promise<string>((resolve, reject) => {
      const head = `${method} ${ACCOUNT}${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers}Connection: close\r\n\r\n`;
      const socket = connect(port ?? 0, '127.0.0.1', () => socket.write(head + body));
      let received = '';
      socket.on('data', bytes => {
        received += bytes.toString('latin1');
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(received));
    });
  const statusOf = (answer: string): string => /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? answer;

  const writes = (): readonly (readonly [port: number | undefined, method: string, path: string])[] => [
    [server.blobPort, 'PUT', '/c?restype=container'],
    [server.blobPort, 'PUT', '/c/b'],
    [server.blobPort, 'PUT', '/c/b?comp=metadata'],
    [server.blobPort, 'PUT', '/c/b?comp=lease'],
    [server.blobPort, 'POST', '/?comp=batch'],
    [server.queuePort, 'PUT', '/q'],
    [server.queuePort, 'POST', '/q/messages'],
    [server.tablePort, 'POST', '/Tables'],
    [server.tablePort, 'PUT', "/t(PartitionKey='p',RowKey='r')"],
    [server.tablePort, 'POST', '/$batch'],
  ];

  test('neither Content-Length nor chunks: 411, before credentials', async () => {
    for (const [port, method, path] of writes()) {
      const answer = await ask(port, method, path, '');
      assert.equal(statusOf(answer), '411', path);
      assert.match(answer, /MissingContentLengthHeader/, path);
      assert.match(answer, /Content-Length HTTP header is missing\./, path);
      if (port !== server.tablePort) {
        assert.match(answer, /\r\nx-ms-error-code: MissingContentLengthHeader\r\n/, path);
        assert.match(answer, /<HeaderName>Content-Length<\/HeaderName>/, path);
      }
    }
  });

  test('an empty body that has a length, or comes in chunks, is none the worse', async () => {
    for (const [port, method, path] of writes()) {
      const measured = await ask(port, method, path, 'Content-Length: 0\r\n');
      assert.notEqual(statusOf(measured), '411', path);
      const inChunks = await ask(port, method, path, 'Transfer-Encoding: chunked\r\n', '0\r\n\r\n');
      assert.notEqual(statusOf(inChunks), '411', path);
    }
  });

  test('other verbs need no length', async () => {
    for (const [port, , path] of writes())
      for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'MERGE', 'PATCH'])
        assert.notEqual(statusOf(await ask(port, method, path, '')), '411', `${method} ${path}`);
  });
});
