// Whether a directory is an Azurite data folder.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BLOB_FILE } from './azurite-blobs.js';
import { QUEUE_FILE } from './azurite-queues.js';
import { TABLE_FILE } from './azurite-tables.js';

/** One for each service that was ever used in it. */
export const SERVICE_FILES: readonly string[] = [TABLE_FILE, QUEUE_FILE, BLOB_FILE];

export const isAzuriteFolder = (directory: string): boolean =>
  SERVICE_FILES.some(name => existsSync(join(directory, name)));
