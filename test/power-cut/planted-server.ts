// Faults that are planted in a server's process, by Node's option --import before it starts: each shows only in a power
// cut. PLANTED_FAULT names one.
import { ENGINES } from '#server/engines';
import type { Engine } from '#store';
import { DirectorySync } from '../../packages/store-lmdb/content/directory-sync.js';
import { type ContentPlant, dropsFirst, namesFirst } from '../planted/content-plants.js';

/**
 * Contents are finished after rows name them, are removed before the commit that drops their last name, and no
 * directory is synced.
 */
export type ServerFault = 'names first' | 'drops first' | 'no names';

export const plantingEnvironment = (fault: ServerFault): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `--import ${import.meta.url}`,
  PLANTED_FAULT: fault,
});

function plantInStore(plant: ContentPlant): void {
  const { open } = ENGINES;
  ENGINES.open = async (...call) => plant(await open.apply(ENGINES, call)) as Engine;
}

const FAULTS: Readonly<Record<ServerFault, () => void>> = {
  'names first': () => plantInStore(namesFirst),
  'drops first': () => plantInStore(dropsFirst),
  'no names': () => {
    DirectorySync.prototype.sync = async () => undefined;
  },
};

for (const [fault, plant] of Object.entries(FAULTS)) if (process.env.PLANTED_FAULT === fault) plant();
