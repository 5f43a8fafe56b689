// A server for tests of load generators: gives a test's answers, and records the requests.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
  readonly delayMilliseconds?: number;
}

export interface AnsweringServer {
  readonly port: number;
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

/** `answer` also gets the number of the request. */
export function answering(
  answer: (asked: Asked, index: number) => Answer | Promise<Answer>,
): Promise<AnsweringServer> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request;
    const each = { method, url, body: await bodyOf(request) };
    asked.push(each);
    const { status, headers, body, delayMilliseconds = 0 } = await answer(each, asked.length - 1);
    setTimeout(() => response.writeHead(status, headers).end(body), delayMilliseconds);
  });
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      const close = (): Promise<void> =>
        new Promise(done => {
          server.close(() => done());
          server.closeAllConnections();
        });
      resolve({ port, asked, close });
    });
  });
}
