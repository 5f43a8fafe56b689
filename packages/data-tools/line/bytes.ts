// The bytes of a Binary. Apart from row.ts, which the explorer's page has too: browsers have no Buffer.
import { type Property, textOf } from './row.js';

export const bytesOf = (property: Property): Buffer => Buffer.from(textOf(property), 'base64');
