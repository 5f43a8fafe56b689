// Formats the multipart envelope of the answer to POST /$batch, byte for byte (protocol: batches#answers).
// format-part.ts formats its parts.

/** New GUIDs in lower case for each answer. Clients search for the prefixes before them. */
interface EnvelopeIds {
  readonly batch: string;
  readonly changeset: string;
}

export interface Envelope {
  readonly contentType: string;
  readonly body: string;
}

function envelop(batchId: string, content: string): Envelope {
  const boundary = `batchresponse_${batchId}`;
  return {
    contentType: `multipart/mixed; boundary=${boundary}`,
    body: `--${boundary}\r\n${content}--${boundary}--\r\n`,
  };
}

/** The answer to a changeset: one part for each operation, or the only part of the one that failed, or none. */
export function formatChangeset(parts: readonly string[], ids: EnvelopeIds): Envelope {
  const boundary = `changesetresponse_${ids.changeset}`;
  let content = '';
  for (const part of parts) content += `--${boundary}\r\n${part}`;
  return envelop(
    ids.batch,
    `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n${content}--${boundary}--\r\n`,
  );
}

/** The answer to a batch with a GET, which has no changeset around it. */
export const formatBatchQuery = (part: string, ids: Pick<EnvelopeIds, 'batch'>): Envelope =>
  envelop(ids.batch, part);
