// Requests as texts with gaps, the forms that generators need, and one request at a time, outside of any measurement.
import { Agent, request as send } from 'node:http';
import { filledLength, filler } from './gaps.js';

/** Where a service listens; requests have its account SAS. */
export interface Endpoint {
  readonly port: number;
  readonly account: string;
  /** The query of the signature, without a question mark. */
  readonly signature: string;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Requests of one kind, and what fails if an answer to one is wrong. */
export interface Kind {
  readonly request: Request;
  readonly check: (answer: Answer, sequence: number, row: number) => void;
}

/** `resource` is below the account, and ends with the parameters of its query if it has some. */
export function requestOf(
  { port, account, signature }: Endpoint,
  method: string,
  resource: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): Request {
  const separator = resource.includes('?') ? '&' : '?';
  const length: Record<string, string> =
    method === 'GET' || method === 'DELETE' ? {} : { 'Content-Length': String(filledLength(body)) };
  return {
    method,
    path: `/${account}/${resource}${separator}${signature}`,
    headers: { Host: `127.0.0.1:${port}`, ...headers, ...length },
    body,
  };
}

/** As it goes over the wire. */
export const wireText = ({ method, path, headers, body }: Request): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
};

/** Makes requests of a kind from their numbers. */
export function requestFiller(request: Request, rows: number): (sequence: number) => Request {
  const [path, body] = [filler(request.path, rows), filler(request.body, rows)];
  return sequence => ({
    ...request,
    headers: { ...request.headers },
    path: path(sequence),
    body: body(sequence),
  });
}

const agent = new Agent({ keepAlive: false });

/** Sends one request, on a connection of its own because the server may be stopped before the next. */
export function ask(port: number, { method, path, headers, body }: Request): Promise<Answer> {
  return new Promise((resolve, reject) => {
    send({ host: '127.0.0.1', port, method, path, headers, agent }, async message => {
      const chunks: Buffer[] = [];
      for await (const chunk of message) chunks.push(chunk);
      resolve({ status: message.statusCode ?? 0, headers: message.headers, body: Buffer.concat(chunks) });
    })
      .on('error', reject)
      .end(body);
  });
}

/** Makes a table, a container or a queue. */
export async function create({ port }: Endpoint, request: Request): Promise<void> {
  const { status, body } = await ask(port, request);
  if (status !== 201 && status !== 204) throw new Error(`status ${status}: ${body}`);
}
