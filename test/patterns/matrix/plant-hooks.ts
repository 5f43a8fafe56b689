// Hooks of Node's loader, in a thread of their own: one file of the library is loaded with other texts in it. plant.ts registers them.

interface Planting {
  readonly url: string;
  readonly changes: readonly (readonly [text: string, instead: string])[];
}

interface Loaded {
  readonly format: string;
  readonly source?: string | ArrayBuffer | Uint8Array;
}

let planting: Planting | undefined;

export function initialize(data: Planting): void {
  planting = data;
}

/** Called by Node for each module. */
export async function load(
  url: string,
  context: unknown,
  next: (url: string, context: unknown) => Promise<Loaded>,
): Promise<Loaded> {
  const loaded = await next(url, context);
  if (planting === undefined || url !== planting.url) return loaded;
  let source = Buffer.from(loaded.source as Uint8Array).toString();
  for (const [text, instead] of planting.changes) {
    const parts = source.split(text);
    if (parts.length !== 2) throw new Error(`${url} has ${parts.length - 1} times: ${text}`);
    source = parts.join(instead);
  }
  return { ...loaded, source };
}
