// Shared access signatures of queues: the parts that differ from other services (protocol: sas#queue-string). The signature covers the queue in the
// path, which no parameter names.
import { parseServiceSas, type ServiceSas, serviceSasStringToSign } from './sas.js';

const LETTERS = /^[raup]+$/;

/** @throws ServiceError AuthenticationFailed:Sas where a field is missing or malformed. */
export const parseQueueSas = (query: ReadonlyMap<string, string>, queue: string): ServiceSas =>
  parseServiceSas(query, { fields: [], letters: LETTERS, resourceOf: () => queue, rangeOf: () => undefined });

export const queueSasStringToSign = (sas: ServiceSas, account: string): string =>
  serviceSasStringToSign(sas, account, 'queue', []);
