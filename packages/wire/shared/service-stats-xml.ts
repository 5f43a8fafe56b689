// The document of Get Table Service Stats (protocol: service-properties#stats).
import { formatHttpDate } from '#base';
import { XML_HEAD } from './xml.js';

/**
 * Starts with a byte order mark.
 *
 * @param lastSync ticks up to which the secondary has every write; undefined if it is unknown, which reads as `unavailable`.
 */
export function formatServiceStats(lastSync: bigint | undefined): string {
  const replication =
    lastSync === undefined
      ? '<Status>unavailable</Status><LastSyncTime />'
      : `<Status>live</Status><LastSyncTime>${formatHttpDate(lastSync)}</LastSyncTime>`;
  return `${XML_HEAD}<StorageServiceStats><GeoReplication>${replication}</GeoReplication></StorageServiceStats>`;
}
