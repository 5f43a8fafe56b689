// Moves the blobs of a container from an input to a place, several at once. The journal records each finished page, and
// in an unfinished page each finished blob, so that a killed run can be resumed.
import type { Blob } from '../blobs/blob-record.js';
import type { ToolContext } from '../run/context.js';
import { inParallel } from '../run/in-parallel.js';
import type { ContentJournal } from './content-journal.js';
import type { InputContainer, InputPage } from './input.js';

/** Where the blobs of one container go: an account, or a dump. State and what is kept of a blob are JSON. */
export interface BlobPlace<State, Kept> {
  begin(): Promise<State>;
  /** Continues where an earlier run was; false if the place must begin again. */
  resume(state: State): Promise<boolean>;
  /** Undefined if the blob is gone. */
  put(blob: Blob): Promise<Kept | undefined>;
  /** Whether a blob that an earlier run put is still there. */
  has(blob: Blob, kept: Kept): boolean;
  /** All blobs of a page are put. */
  endPage(state: State, page: InputPage, kept: ReadonlyMap<string, Kept>): Promise<State>;
}

/** None is skipped silently. */
function tellSkipped({ reporter }: ToolContext, container: string, { skipped }: InputPage): void {
  for (const { name: blob, reason } of skipped)
    reporter.tell('note', {
      container,
      blob,
      message: `Blob ${blob} of ${container} is skipped: ${reason}.`,
    });
}

/** Does not repeat what an earlier run has done. @throws ToolError */
export async function moveContainer<State, Kept>(
  { name, pages }: InputContainer,
  place: BlobPlace<State, Kept>,
  context: ToolContext,
  journal: ContentJournal | undefined,
): Promise<State> {
  let [before, next]: [State | undefined, string | null] = [undefined, ''];
  let done = new Map<string, Kept>();
  for (const entry of journal?.container(name) ?? [])
    if ('blob' in entry) done.set(entry.blob, entry.kept as Kept);
    else [before, next, done] = [entry.state as State, entry.next, new Map()];
  if (before !== undefined && next === null) return before;
  const goesOn = before !== undefined && (await place.resume(before));
  let state = goesOn && before !== undefined ? before : await place.begin();
  for await (const page of pages(goesOn ? (next ?? '') : '')) {
    tellSkipped(context, name, page);
    const kept = new Map<string, Kept>();
    await inParallel(page.blobs, context.parallel, async blob => {
      context.source.signal?.throwIfAborted();
      const known = done.get(blob.name);
      const isThere = known !== undefined && place.has(blob, known);
      const put = isThere ? known : await place.put(blob);
      if (put === undefined) return;
      kept.set(blob.name, put);
      if (!isThere) journal?.append({ container: name, blob: blob.name, kept: put });
      context.reporter.rows(0);
    });
    state = await place.endPage(state, page, kept);
    journal?.append({ container: name, next: page.next ?? null, state });
  }
  return state;
}
