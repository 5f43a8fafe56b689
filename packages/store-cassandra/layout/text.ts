// Texts as bytes that compare as JavaScript's `<` compares the texts: each UTF-16 code unit as two bytes, the higher
// one first. Cassandra orders blobs by their bytes. ASCII takes twice its size, which compression on disk saves again;
// nothing needs escaping, and lone surrogates are preserved.

export const encodeText = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

/** Leaves the bytes as they are. */
export const decodeText = (bytes: Buffer): string => Buffer.from(bytes).swap16().toString('utf16le');
