// What a run does with rows, blobs and messages that the target has already.
import { ToolError } from '../source/tool-error.js';

const MODES = ['insert', 'upsert', 'merge', 'skip'] as const;
export type Mode = (typeof MODES)[number];

/** @throws ToolError usage */
export function parseMode(text: string | undefined): Mode {
  const mode = text === undefined ? 'insert' : MODES.find(each => each === text);
  if (mode === undefined)
    throw new ToolError('usage', `--mode takes ${MODES.join(', ')}, not ${JSON.stringify(text)}.`);
  return mode;
}
