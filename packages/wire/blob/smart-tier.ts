// The tier that Azure chooses by how often a blob is read, and the one that it stands for: nothing moves here (protocol: blobs#tiers).

export const SMART = 'Smart';
export const SMART_NOW = 'Hot';
