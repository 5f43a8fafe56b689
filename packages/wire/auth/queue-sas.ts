// Shared access signatures of queues: what they have of their own (protocol: sas#queue-string). No parameter names the queue: it is the one in
// the path, and the signature covers it.
import { parseServiceSas, type ServiceSas, serviceSasStringToSign } from './sas.js';

const LETTERS = /^[raup]+$/;

/** @throws ServiceError AuthenticationFailed:Sas where a field is missing or malformed. */
export const parseQueueSas = (query: ReadonlyMap<string, string>, queue: string): ServiceSas =>
  parseServiceSas(query, { letters: LETTERS, resourceOf: () => queue, rangeOf: () => undefined });

export const queueSasStringToSign = (sas: ServiceSas, account: string): string =>
  serviceSasStringToSign(sas, account, 'queue', []);
