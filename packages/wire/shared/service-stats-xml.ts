// The document of Get Service Stats (protocol: service-properties#stats).
import { formatHttpDate } from '#base';
import { XML_HEAD } from './xml.js';

/** Starts with a byte order mark. `lastSync`: ticks up to which the secondary has every write. */
export const formatServiceStats = (lastSync: bigint): string =>
  `${XML_HEAD}<StorageServiceStats><GeoReplication><Status>live</Status><LastSyncTime>${formatHttpDate(lastSync)}</LastSyncTime></GeoReplication></StorageServiceStats>`;
