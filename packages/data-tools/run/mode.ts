// What a run does with rows, blobs and messages that the target has already.

export const MODES = ['insert', 'upsert', 'merge', 'skip'] as const;
export type Mode = (typeof MODES)[number];
