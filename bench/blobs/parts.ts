// The parts of the measurement of the Blob service; each can be selected alone.

export const BLOB_PARTS = ['small', 'appends', 'transfers', 'memory', 'tail', 'lists', 'prefix'] as const;
export type BlobPart = (typeof BLOB_PARTS)[number];

export const isBlobPart = (text: string): text is BlobPart => BLOB_PARTS.some(part => part === text);
