// Checks the spaces that all services have, for `shelfmark check`: a finding is a sentence, undefined is sound.
import type { Space } from '#store';
import { decodeServiceProperties, encodeServiceProperties } from './service-properties.js';

const DEADLINE_BYTES = 8;

/** Turns an exception while reading into a finding. */
export function faultOf(look: () => string | undefined): string | undefined {
  try {
    return look();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The properties of that service, as service-settings.ts writes them. */
export function propertiesFault({ name, metadata }: Space, service: string): string | undefined {
  const encoded = encodeServiceProperties(decodeServiceProperties(metadata));
  return name === service && encoded.equals(metadata) ? undefined : 'the service properties are damaged.';
}

/** A reserved name, as reserved-name.ts writes it. */
export const reservedNameFault = ({ metadata }: Space): string | undefined =>
  metadata.length === DEADLINE_BYTES ? undefined : 'the record of a held name is damaged.';
