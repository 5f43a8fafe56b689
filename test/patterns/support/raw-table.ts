// A table as the official client has it: for what programs do that know nothing of the library.
import { TableClient } from '@azure/data-tables';
import type { Peer } from './peers.js';

export const rawTable = (peer: Peer, table: string): TableClient =>
  TableClient.fromConnectionString(peer.connectionString(), table, { allowInsecureConnection: true });
