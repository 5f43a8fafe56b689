// The load of the queue workloads. A delete needs the receipt of its message, so that autocannon sends them, and checks every text.
import assert from 'node:assert/strict';
import type { Step } from './autocannon.js';
import { filler } from './gaps.js';
import { type Endpoint, type Kind, type Request, requestOf } from './request.js';
import { hasStatus } from './requests.js';
import { ENTITY_BYTES } from './rows.js';

const VERSION = { 'x-ms-version': '2019-02-02' };
const TEXT = `{12:sequence}${'send the list of prices to this customer and ask for the orders of next month; '.repeat(20)}`;
/** Longer than any run: no message becomes visible again while it is measured. */
const VISIBILITY_SECONDS = 3600;
const NUMBER_DIGITS = 12;
const GAP_LENGTH = TEXT.indexOf('}') + 1;

/** The text of a message, of so many characters; by default about as long as the entities of the table workloads. */
export const messageText = (length = ENTITY_BYTES): string =>
  TEXT.slice(0, length - NUMBER_DIGITS + GAP_LENGTH);

export const createQueue = (at: Endpoint, queue: string): Request => requestOf(at, 'PUT', queue, VERSION);

export const putMessage = (at: Endpoint, queue: string, length?: number): Kind => ({
  request: requestOf(
    at,
    'POST',
    `${queue}/messages`,
    VERSION,
    `<QueueMessage><MessageText>${messageText(length)}</MessageText></QueueMessage>`,
  ),
  check: hasStatus(201),
});

const valueIn = (xml: string, name: string): string =>
  new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml)?.[1] ?? assert.fail(`no ${name}: ${xml.slice(0, 400)}`);

/** Gets a message, then deletes it. */
export function takeSteps(at: Endpoint, queue: string, length?: number): readonly Step[] {
  const path = `${queue}/messages`;
  const get = requestOf(
    at,
    'GET',
    `${path}?numofmessages=1&visibilitytimeout=${VISIBILITY_SECONDS}`,
    VERSION,
  );
  const textOf = filler(messageText(length), 1);
  return [
    {
      request: () => get,
      check: (status, xml, context) => {
        assert.equal(status, 200, xml);
        const text = valueIn(xml, 'MessageText');
        assert.equal(text, textOf(Number(text.slice(0, NUMBER_DIGITS))));
        context.message = `${valueIn(xml, 'MessageId')}?popreceipt=${encodeURIComponent(valueIn(xml, 'PopReceipt'))}`;
      },
    },
    {
      request: ({ message }) =>
        message === undefined ? undefined : requestOf(at, 'DELETE', `${path}/${message}`, VERSION),
      check: (status, body) => assert.equal(status, 204, body),
    },
  ];
}

/** A step that puts messages of consecutive numbers. */
export function putStep(at: Endpoint, queue: string, first: number, length?: number): Step {
  const { request } = putMessage(at, queue, length);
  const fill = filler(request.body, 1);
  let sequence = first;
  return {
    request: () => ({ ...request, body: fill(sequence++) }),
    check: (status, body) => assert.equal(status, 201, body),
  };
}
