// The limits of the Queue service (protocol: queues, messages) and the checks of values against them, for the parser of
// operations. The parser itself checks syntax and missing parameters.
import { type Metadata, metadataFault } from '#account';
import { QueueError } from './queue-error.js';

/** 9999-12-31T23:59:59Z in ticks: the expiry of a message that never expires (recorded; protocol: messages#life). */
export const NEVER = 2_534_023_007_990_000_000n;

const QUEUE_NAME_LENGTH = /^.{3,63}$/s;
export const QUEUES_PAGE_MAX = 5000;
/** Of a message's text in UTF-8, without its XML. */
export const MESSAGE_BYTES_MAX = 65_536;
export const MESSAGES_MAX = 32;
/** 7 days. */
export const VISIBILITY_SECONDS_MAX = 604_800;
export const VISIBILITY_SECONDS_OF_GET = 30;
export const TIME_TO_LIVE_SECONDS_DEFAULT = 604_800;

const QUEUE_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export const isQueueName = (name: string): boolean => QUEUE_NAME_LENGTH.test(name) && QUEUE_NAME.test(name);

/** Length before characters, as for tables (protocol: queues#names). */
export function checkQueueName(name: string): void {
  if (!QUEUE_NAME_LENGTH.test(name)) throw new QueueError('OutOfRangeInput:ResourceName');
  if (!QUEUE_NAME.test(name)) throw new QueueError('InvalidResourceName');
}

/** @throws QueueError where metadata breaks its limits (protocol: queues#metadata). */
export function checkMetadata(metadata: Metadata): void {
  const fault = metadataFault(metadata);
  if (fault) throw new QueueError(fault);
}

/** @throws QueueError RequestBodyTooLarge, as captured; the documentation also lists MessageTooLarge. */
export function checkText(text: string): void {
  if (Buffer.byteLength(text) > MESSAGE_BYTES_MAX)
    throw new QueueError('RequestBodyTooLarge', { limit: MESSAGE_BYTES_MAX });
}

/** Checks a client's parameter of that name, a whole number. */
export function checkRange(name: string, value: number, minimum: number, maximum: number): void {
  if (value < minimum || value > maximum)
    throw new QueueError('OutOfRangeQueryParameterValue', { name, value, minimum, maximum });
}

export const checkMessageCount = (count: number): void => checkRange('numofmessages', count, 1, MESSAGES_MAX);

/** A get hides messages for at least a second; put and update may leave them visible. */
export const checkVisibility = (seconds: number, minimum: 0 | 1): void =>
  checkRange('visibilitytimeout', seconds, minimum, VISIBILITY_SECONDS_MAX);

/** The two times of a put: equal ones are refused (recorded; protocol: messages#parameters). -1 means that the message never expires. */
export function checkTimeToLive(timeToLiveSeconds: number, visibilitySeconds: number): void {
  if (timeToLiveSeconds === -1) return;
  if (timeToLiveSeconds < 1) {
    throw new QueueError('InvalidQueryParameterValue', {
      name: 'messagettl',
      value: timeToLiveSeconds,
      reason: 'Value must be greater than or equal to 1 or -1 to indicate an infinite TTL.',
    });
  }
  if (visibilitySeconds >= timeToLiveSeconds) {
    throw new QueueError('InvalidQueryParameterValue', {
      name: 'visibilitytimeout',
      value: visibilitySeconds,
      reason: 'messagettl must be greater than visibilitytimeout',
    });
  }
}
