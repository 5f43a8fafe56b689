// Checks the stored form of queues, messages and the service's properties for `shelfmark check`: a finding is a sentence, undefined is
// sound. The engine checks its own spaces and rows; this checks their contents, each row on its own.
import { faultOf, propertiesFault, reservedNameFault } from '#account';
import type { Row, Space } from '#store';
import { isQueueName } from './limits.js';
import {
  allVisibilityKeys,
  COUNT_KEY,
  changeCount,
  decodeDeliveryState,
  decodeMessage,
  encodeDeliveryState,
  encodeMessage,
  partitionOf,
} from './message-rows.js';
import { decodeQueueMetadata, encodeQueueMetadata } from './queue-space.js';

/** Whether this service wrote the space. */
export const isOfQueueService = ({ service, name }: Space): boolean =>
  service === 'queue' || service === 'dropped queue' || (service === 'properties' && name === 'queue');

/** The finding in the metadata of a space that this service wrote. */
export const inspectQueueSpace = (space: Space): string | undefined => faultOf(() => spaceFault(space));

/** The finding in a row of such a space. */
export const inspectQueueRow = (space: Space, row: Row): string | undefined =>
  faultOf(() => rowFault(space, row));

function spaceFault(space: Space): string | undefined {
  if (space.service === 'properties') return propertiesFault(space, 'queue');
  if (space.service === 'dropped queue') return reservedNameFault(space);
  if (!isQueueName(space.name)) return 'its name is none that a queue can have.';
  const encoded = encodeQueueMetadata(decodeQueueMetadata(space.metadata));
  return encoded.equals(space.metadata) ? undefined : "the queue's metadata is damaged.";
}

const PARTITION = /^[0-9a-f]{8}$/;
const VISIBILITY_KEY = /^at\/[0-9a-f]{32}[0-9a-f-]{36}$/;
const MESSAGE = /^id\/[0-9a-f-]{36}$/;

function rowFault(space: Space, row: Row): string | undefined {
  if (space.service !== 'queue') return `the service '${space.service}' has no rows.`;
  if (!PARTITION.test(row.partition) || row.partition > partitionOf(space))
    return 'its partition is none that the queue can have.';
  if (row.key === COUNT_KEY)
    return changeCount(row, 0).value.equals(row.value) ? undefined : 'the count is damaged.';
  if (row.key >= allVisibilityKeys.from && row.key < allVisibilityKeys.until) return deliveryFault(row);
  if (!MESSAGE.test(row.key)) return 'its key is none that a queue can have.';
  return encodeMessage(decodeMessage(row)).equals(row.value) ? undefined : "the message's text is damaged.";
}

function deliveryFault(row: Row): string | undefined {
  if (!VISIBILITY_KEY.test(row.key)) return 'its key is no place of a message.';
  return encodeDeliveryState(decodeDeliveryState(row)).equals(row.value)
    ? undefined
    : 'the place of a message is damaged.';
}
