// One connection of the built-in generator: has one request in flight at a time and follows a query over its pages. The
// generator decides what is sent next, and records the latency.
import { connect, type Socket } from 'node:net';
import { bodyComplaint, decodePage, filterComplaint, isAbsent, statusComplaint } from './checks.js';
import type { RequestKind } from './job.js';
import { type Response, ResponseParser } from './response-parser.js';
import { Template } from './template.js';

/** A kind of request, ready to be sent. */
export interface PreparedRequest {
  readonly kind: RequestKind;
  readonly template: Template;
}

export const prepare = (kind: RequestKind, rows: number): PreparedRequest => ({
  kind,
  template: new Template(kind.parts, rows),
});

export interface Exchange {
  readonly request: PreparedRequest;
  readonly sequence: number;
  /** Where its latency starts, on the machine's clock. */
  readonly since: number;
  /** Whether its body is checked. */
  readonly isChecked: boolean;
}

export interface Answered {
  readonly absent: boolean;
  readonly complaint: string | undefined;
}

/** Called by every connection; one object for all of them. */
export interface ConnectionEvents {
  onAnswered(connection: Connection, exchange: Exchange, answered: Answered): void;
  onFailed(error: Error): void;
}

const NEXT_PARTITION = /\r\nx-ms-continuation-NextPartitionKey: *(\S+)\r\n/i;
const NEXT_ROW = /\r\nx-ms-continuation-NextRowKey: *(\S+)\r\n/i;
const REQUEST_LINE_END = ' HTTP/1.1\r\n';
/** A query that does not end by then never will. */
const PAGES_MAX = 1000;
const OK: Answered = { absent: false, complaint: undefined };

/** The same query from where a page ended; undefined if it was the last. */
function nextPage(request: string, head: string): string | undefined {
  const partition = NEXT_PARTITION.exec(head)?.[1];
  if (partition === undefined) return undefined;
  const row = NEXT_ROW.exec(head)?.[1];
  const from =
    `&NextPartitionKey=${encodeURIComponent(partition)}` +
    (row === undefined ? '' : `&NextRowKey=${encodeURIComponent(row)}`);
  return request.replace(REQUEST_LINE_END, `${from}${REQUEST_LINE_END}`);
}

export class Connection {
  readonly #socket: Socket;
  readonly #parser = new ResponseParser();
  readonly #events: ConnectionEvents;
  readonly #rows: number;
  #exchange: Exchange | undefined;
  #entities: unknown[] = [];
  #pages = 0;
  #closed = false;

  constructor(port: number, rows: number, events: ConnectionEvents) {
    this.#rows = rows;
    this.#events = events;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#socket.on('error', error => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('The server closed a connection.')));
  }

  send(exchange: Exchange): void {
    this.#exchange = exchange;
    this.#entities = [];
    this.#pages = 0;
    this.#socket.write(exchange.request.template.bytes(exchange.sequence));
  }

  close(): void {
    this.#closed = true;
    this.#socket.destroy();
  }

  #fail(error: Error): void {
    if (this.#closed) return;
    this.close();
    this.#events.onFailed(error);
  }

  #read(chunk: Buffer): void {
    try {
      this.#parser.push(chunk);
      const response = this.#parser.next();
      if (response === undefined) return;
      const exchange = this.#exchange;
      if (exchange === undefined || !this.#parser.isIdle) throw new Error('An answer that nobody asked for.');
      this.#answer(exchange, response);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #answer(exchange: Exchange, response: Response): void {
    const { check } = exchange.request.kind;
    const complaint = statusComplaint(check, response);
    if (complaint === undefined && check.kind === 'filter') {
      this.#answerPage(exchange, response);
      return;
    }
    const wrong =
      complaint ??
      (exchange.isChecked ? bodyComplaint(check, response, exchange.sequence, this.#rows) : undefined);
    const absent = isAbsent(check, response);
    this.#done(exchange, wrong === undefined && !absent ? OK : { absent, complaint: wrong });
  }

  #answerPage(exchange: Exchange, { head, body }: Response): void {
    const page = decodePage(body);
    if (page === undefined || this.#pages >= PAGES_MAX) {
      const complaint = page === undefined ? 'not a page' : `more than ${PAGES_MAX} pages`;
      this.#done(exchange, { absent: false, complaint });
      return;
    }
    this.#entities.push(...page);
    this.#pages++;
    const request = nextPage(exchange.request.template.bytes(exchange.sequence).toString(), head);
    if (request !== undefined) {
      this.#socket.write(request);
      return;
    }
    const complaint = filterComplaint(this.#entities, exchange.sequence, this.#rows);
    this.#done(exchange, complaint === undefined ? OK : { absent: false, complaint });
  }

  #done(exchange: Exchange, answered: Answered): void {
    this.#exchange = undefined;
    this.#events.onAnswered(this, exchange, answered);
  }
}
