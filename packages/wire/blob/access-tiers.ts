// Tiers in answers: the inferred tier where none was set, and Smart's choice by access, which never changes here
// (protocol: blobs#tiers).

export const SMART = 'Smart';
/** The tier that stands for it, and for none. */
export const TIER_NOW = 'Hot';

/** From this version on, snapshots can have tiers, and answers include them. */
const VERSION_OF_SNAPSHOTS = '2019-12-12';

export const hasSnapshotTiers = (version: string): boolean => version >= VERSION_OF_SNAPSHOTS;
