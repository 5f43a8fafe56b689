// What is wrong with the stored form of a queue, a message or the service's properties, for the check of a store. A sentence, or
// nothing. Spaces and rows of the engine are judged by it, this judges what is in them, each row by itself.
import { faultOf, propertiesFault, reservedNameFault } from '#account';
import type { Row, Space } from '#store';
import { checkQueueName } from './limits.js';
import { COUNT_KEY, changeCount } from './message-count.js';
import {
  allPlaces,
  decodeMessage,
  decodeTicket,
  encodeMessage,
  encodeTicket,
  partitionOf,
} from './message-rows.js';
import { decodeQueueMetadata, encodeQueueMetadata } from './queue-space.js';

/** Whether this service wrote the space. */
export const isOfQueueService = ({ service, name }: Space): boolean =>
  service === 'queue' || service === 'dropped queue' || (service === 'properties' && name === 'queue');

/** What is wrong with the metadata of a space that this service wrote. */
export const inspectQueueSpace = (space: Space): string | undefined => faultOf(() => spaceFault(space));

/** What is wrong with a row of such a space. */
export const inspectQueueRow = (space: Space, row: Row): string | undefined =>
  faultOf(() => rowFault(space, row));

function spaceFault(space: Space): string | undefined {
  if (space.service === 'properties') return propertiesFault(space, 'queue');
  if (space.service === 'dropped queue') return reservedNameFault(space);
  checkQueueName(space.name);
  const encoded = encodeQueueMetadata(decodeQueueMetadata(space.metadata));
  return encoded.equals(space.metadata) ? undefined : "the queue's metadata is damaged.";
}

const PARTITION = /^[0-9a-f]{8}$/;
const PLACE = /^at\/[0-9a-f]{32}[0-9a-f-]{36}$/;
const MESSAGE = /^id\/[0-9a-f-]{36}$/;

function rowFault(space: Space, row: Row): string | undefined {
  if (space.service !== 'queue') return `the service '${space.service}' has no rows.`;
  if (!PARTITION.test(row.partition) || row.partition > partitionOf(space))
    return 'its partition is none that the queue can have.';
  if (row.key === COUNT_KEY)
    return changeCount(row, 0).value.equals(row.value) ? undefined : 'the count is damaged.';
  if (row.key >= allPlaces.from && row.key < allPlaces.until) return placeFault(row);
  if (!MESSAGE.test(row.key)) return 'its key is none that a queue can have.';
  return encodeMessage(decodeMessage(row)).equals(row.value) ? undefined : "the message's text is damaged.";
}

function placeFault(row: Row): string | undefined {
  if (!PLACE.test(row.key)) return 'its key is no place of a message.';
  return encodeTicket(decodeTicket(row)).equals(row.value) ? undefined : 'the place of a message is damaged.';
}
