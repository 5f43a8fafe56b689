// The Queue service's calls over a connection, written by hand as by a client without a library, and its answers as
// values: fails on one that no state of the queue allows. judge.ts judges its contents.
import type { Wire } from '../histories/ledger.js';
import { accountSas } from '../simulation/run/signing.js';
import type { Reply } from '../support/worker-processes.js';
import { nameIn, type QueueAnswer, type QueueCall, type QueueHappening, SECOND, type Shown } from './call.js';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const message = (text: string): string =>
  `<QueueMessage><MessageText>${escaped(text)}</MessageText></QueueMessage>`;

const one = (id: string, receipt: string): string =>
  `messages/${id}?popreceipt=${encodeURIComponent(receipt)}`;

/** The path is below the account. */
function requestOf(call: QueueCall): {
  readonly method: string;
  readonly path: string;
  readonly body: string;
} {
  const { queue } = call;
  switch (call.kind) {
    case 'createQueue':
      return { method: 'PUT', path: queue, body: '' };
    case 'deleteQueue':
      return { method: 'DELETE', path: queue, body: '' };
    case 'clear':
      return { method: 'DELETE', path: `${queue}/messages`, body: '' };
    case 'put': {
      const { delay, life, text } = call;
      const query = `visibilitytimeout=${delay}&messagettl=${life ?? -1}`;
      return { method: 'POST', path: `${queue}/messages?${query}`, body: message(text) };
    }
    case 'get': {
      const query = `numofmessages=${call.count}&visibilitytimeout=${call.seconds}`;
      return { method: 'GET', path: `${queue}/messages?${query}`, body: '' };
    }
    case 'peek':
      return { method: 'GET', path: `${queue}/messages?peekonly=true&numofmessages=${call.count}`, body: '' };
    case 'update': {
      const path = `${queue}/${one(call.id, call.receipt)}&visibilitytimeout=${call.seconds}`;
      return { method: 'PUT', path, body: call.text === undefined ? '' : message(call.text) };
    }
    case 'delete':
      return { method: 'DELETE', path: `${queue}/${one(call.id, call.receipt)}`, body: '' };
  }
}

/** Refusals that the calls here may meet. */
const STATUSES: Readonly<Record<string, number>> = {
  QueueNotFound: 404,
  MessageNotFound: 404,
  PopReceiptMismatch: 400,
  OutOfRangeQueryParameterValue: 400,
  ServerBusy: 503,
};

const SUCCESSES: Readonly<Record<QueueCall['kind'], readonly number[]>> = {
  createQueue: [201, 204],
  deleteQueue: [204],
  clear: [204],
  put: [201],
  get: [200],
  peek: [200],
  update: [204],
  delete: [204],
};

function expect(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

const unescaped = (text: string): string =>
  text
    .replace(/&#x([0-9A-F]+);/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

const MILLISECONDS_A_SECOND = 1000;

function timeOf(text: string | undefined): bigint {
  const milliseconds = Date.parse(text ?? '');
  expect(Number.isInteger(milliseconds), `${text} is not a time.`);
  return BigInt(milliseconds / MILLISECONDS_A_SECOND) * SECOND;
}

function messageOf(xml: string): Shown {
  const field = (name: string): string | undefined => {
    if (xml.includes(`<${name} />`)) return '';
    const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
    return text === undefined ? undefined : unescaped(text);
  };
  const [id, count, visible] = ['MessageId', 'DequeueCount', 'TimeNextVisible'].map(field);
  expect(id !== undefined && /^[0-9a-f-]{36}$/.test(id), `${id} is no id.`);
  return {
    id,
    inserted: timeOf(field('InsertionTime')),
    expires: timeOf(field('ExpirationTime')),
    visible: visible === undefined ? undefined : timeOf(visible),
    receipt: field('PopReceipt'),
    dequeueCount: count === undefined ? undefined : Number(count),
    text: field('MessageText'),
  };
}

/** Which fields are present, by the call: the client of a put has the text, a peek holds nothing. */
function checkFields({ kind }: QueueCall, { visible, receipt, dequeueCount, text }: Shown): void {
  const isLeased = kind !== 'peek';
  const isNew = kind === 'put';
  expect(
    (visible !== undefined) === isLeased && (receipt !== undefined) === isLeased,
    'Who holds it is unclear.',
  );
  expect((dequeueCount === undefined) === isNew && (text === undefined) === isNew, 'Fields are missing.');
}

function readAnswer(call: QueueCall, { status, headers, body }: Reply): QueueAnswer {
  const header = (name: string) => (headers[name] === undefined ? undefined : String(headers[name]));
  const code = header('x-ms-error-code');
  const nothing = { status, code, messages: [], receipt: undefined, visible: undefined };
  if (code !== undefined || status >= 400) {
    expect(STATUSES[code ?? ''] === status, `${status} ${code} is never answered here.`);
    expect(body.includes(`<Code>${code}</Code>`), 'The document does not say the code of the header.');
    return nothing;
  }
  expect(SUCCESSES[call.kind].includes(status), `The status is ${status}.`);
  const messages = [...body.matchAll(/<QueueMessage>(.*?)<\/QueueMessage>/gs)].map(([, xml = '']) =>
    messageOf(xml),
  );
  for (const message of messages) checkFields(call, message);
  const most = call.kind === 'put' ? 1 : 'count' in call ? call.count : 0;
  expect(messages.length <= most, `${messages.length} messages came.`);
  if (call.kind === 'put') expect(messages.length === 1, 'A put shows what it put.');
  if (call.kind !== 'update') return { ...nothing, messages };
  const receipt = header('x-ms-popreceipt');
  expect(receipt !== undefined, 'An update gives a receipt.');
  return { ...nothing, receipt, visible: timeOf(header('x-ms-time-next-visible')) };
}

function shown(call: QueueCall): string {
  switch (call.kind) {
    case 'put':
      return `put ${nameIn(call.text)} (${call.text.length}) in ${call.delay} for ${call.life}`;
    case 'get':
      return `get ${call.count} for ${call.seconds}`;
    case 'update':
      return `update ${call.id} ${call.receipt} for ${call.seconds}${call.text === undefined ? '' : ` ${nameIn(call.text)}`}`;
    case 'delete':
      return `delete ${call.id} ${call.receipt}`;
    default:
      return call.kind;
  }
}

export const QUEUE_WIRE: Wire<QueueCall, QueueAnswer, QueueHappening> = {
  name: 'queue',
  more: {},
  isWrite: ({ kind }) => kind !== 'peek',
  send: (sender, call) => {
    const { method, path, body } = requestOf(call);
    const target = `/devstoreaccount1/${path}${path.includes('?') ? '&' : '?'}${accountSas('q')}`;
    return sender.request({ method, target, headers: {}, body, sign: 'none' });
  },
  read: readAnswer,
  show: shown,
};
