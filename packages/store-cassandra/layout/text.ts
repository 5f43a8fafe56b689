// Texts as bytes that compare as JavaScript's `<` compares the texts: each UTF-16 code unit as two bytes, the higher one first. Cassandra orders blobs by their
// bytes. Twice as long as need be for ASCII, which compression on disk takes back; nothing has to be escaped, and lone surrogates pass.

export const encodeText = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

/** The bytes stay as they are. */
export const decodeText = (bytes: Buffer): string => Buffer.from(bytes).swap16().toString('utf16le');
