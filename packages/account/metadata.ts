// Metadata of queues, containers and blobs: pairs of names and values that a client keeps with them, and their limits
// (protocol: queues#metadata). Their headers belong to the wire.

/** Names keep their case and are compared without it; values are compared exactly. */
export interface MetadataPair {
  readonly name: string;
  readonly value: string;
}

/** In the order in which they were sent. */
export type Metadata = readonly MetadataPair[];

/** For names and values together. */
const METADATA_BYTES_MAX = 8192;

/** C# identifiers, in ASCII because they travel as names of headers. */
const METADATA_NAME = /^[A-Za-z_]\w*$/;
/** What a header holds as text: clients encode other characters themselves. */
const METADATA_VALUE = /^[\t\x20-\x7e]*$/;

type MetadataFault = 'EmptyMetadataKey' | 'InvalidMetadata' | 'MetadataTooLarge';

/** The code of the refusal, if they break a limit. */
export function metadataFault(metadata: Metadata): MetadataFault | undefined {
  let bytes = 0;
  for (const { name, value } of metadata) {
    if (name === '') return 'EmptyMetadataKey';
    if (!METADATA_NAME.test(name) || !METADATA_VALUE.test(value)) return 'InvalidMetadata';
    bytes += name.length + value.length;
  }
  return bytes > METADATA_BYTES_MAX ? 'MetadataTooLarge' : undefined;
}
