// What is wrong with what a service keeps beside its rows, for the check of a store: a sentence, or nothing.
import type { Space } from '#store';
import { decodeServiceProperties, encodeServiceProperties } from './service-properties.js';

const DEADLINE_BYTES = 8;

/** What cannot be read is a fault like another. */
export function faultOf(look: () => string | undefined): string | undefined {
  try {
    return look();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The properties of that service, as stored-properties.ts writes them. */
export function propertiesFault({ name, metadata }: Space, service: string): string | undefined {
  const encoded = encodeServiceProperties(decodeServiceProperties(metadata));
  return name === service && encoded.equals(metadata) ? undefined : 'the service properties are damaged.';
}

/** A name that is held back, as held-name.ts writes it. */
export const reservedNameFault = ({ metadata }: Space): string | undefined =>
  metadata.length === DEADLINE_BYTES ? undefined : 'the record of a held name is damaged.';
