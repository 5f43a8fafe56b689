// The message to the flow of copies: a source that was written, or a row with copies, and the position among a source's rows with copies.

import type { KeyJson } from '../../flows/key-json.js';
import { isObject } from '../../values/is-object.js';
import { schemaOf } from '../../values/standard-schema.js';

/** The contents of a message: the row that was written, and the position to continue from among the rows with copies of it. */
export interface CopyInput {
  readonly of: 'source' | 'holder';
  readonly key: KeyJson;
  readonly resume?: string;
}

const isInput = (value: unknown): value is CopyInput =>
  isObject(value) && (value.of === 'source' || value.of === 'holder') && isObject(value.key);

export const COPY_FLOW_SCHEMA = schemaOf(isInput, 'should name a row');
