// Plants a fault in the library's compiled code as it is loaded, by a hook of Node's loader: `node --import` this file, with the fault in PLANTED_FAULT. A text that does not occur exactly once is an error, so
// that a change to the library also updates its faults.
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

export interface Planting {
  /** Below packages/patterns. */
  readonly file: string;
  readonly changes: readonly (readonly [text: string, instead: string])[];
}

interface Loaded {
  readonly source?: string | ArrayBuffer | Uint8Array;
}

const { file, changes }: Planting = JSON.parse(process.env.PLANTED_FAULT ?? '');
const planted = new URL(`../../../packages/patterns/${file}`, import.meta.url).href;

// Hooks have a thread of their own, in which Node loads this file again.
if (isMainThread) register(import.meta.url);

/** Called by Node for each module. */
export async function load<L extends Loaded>(
  url: string,
  context: unknown,
  next: (url: string, context: unknown) => Promise<L>,
): Promise<L> {
  const loaded = await next(url, context);
  if (url !== planted) return loaded;
  let source = Buffer.from(loaded.source as Uint8Array).toString();
  for (const [text, instead] of changes) {
    const parts = source.split(text);
    if (parts.length !== 2) throw new Error(`${url} has ${parts.length - 1} times: ${text}`);
    source = parts.join(instead);
  }
  return { ...loaded, source };
}
