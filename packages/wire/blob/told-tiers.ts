// What is told of tiers that nobody has set, and of the one that Azure chooses by how often a blob is read: nothing moves here
// (protocol: blobs#tiers).

export const SMART = 'Smart';
/** The tier that stands for it, and for none. */
export const TIER_NOW = 'Hot';

/** From it on tiers of snapshots can be set, and are told. */
const VERSION_OF_SNAPSHOTS = '2019-12-12';

export const tellsSnapshots = (version: string): boolean => version >= VERSION_OF_SNAPSHOTS;
