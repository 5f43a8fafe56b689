// One request at a time, outside of any measurement: to get an answer for others to serve.
// Connections are not kept, because the server may be stopped before the next request.
import { type IncomingMessage, request } from 'node:http';
import type { Endpoint } from './requests.js';

export interface Answer {
  readonly status: number;
  /** Names and values alternately, as they were sent. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

async function readAnswer(message: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return { status: message.statusCode ?? 0, headers: message.rawHeaders, body: Buffer.concat(chunks) };
}

/** Without metadata. `path` begins after the account; the signature is added. */
export function getAnswer({ port, account, signature }: Endpoint, path: string): Promise<Answer> {
  const separator = path.includes('?') ? '&' : '?';
  return new Promise((resolve, reject) => {
    request(
      {
        port,
        host: '127.0.0.1',
        path: `/${account}/${path}${separator}${signature}`,
        headers: { accept: 'application/json;odata=nometadata', 'x-ms-version': '2019-02-02' },
        agent: false,
      },
      message => readAnswer(message).then(resolve, reject),
    )
      .on('error', reject)
      .end();
  });
}
