// A run of a container that is killed before or after any line of its journal, and resumed: its place has each blob
// once, and ends in the same state.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Blob } from '../blobs/blob-record.js';
import { JsonDisplay } from '../progress/reporter.js';
import { toolContext } from '../run/context.js';
import { KilledJournal, kills, wholeJournal } from '../testing/killed-journal.js';
import { type ContentEntry, ContentJournal } from './content-journal.js';
import type { InputContainer } from './input.js';
import { type BlobPlace, moveContainer } from './move-container.js';

const PAGES = [['a', 'b'], ['c'], ['d', 'e']];
const NAMES = PAGES.flat();

const container: InputContainer = {
  name: 'box',
  metadata: {},
  policies: null,
  publicAccess: null,
  async *pages(from) {
    for (let at = Number(from); at < PAGES.length; at++) {
      const blobs = (PAGES[at] ?? []).map(name => ({ name }) as Blob);
      yield { blobs, skipped: [], next: at + 1 < PAGES.length ? String(at + 1) : undefined };
    }
  },
};

/** State is the blobs of its finished pages. */
class ListPlace implements BlobPlace<readonly string[], string> {
  readonly puts: string[] = [];
  isLost = false;

  async begin(): Promise<readonly string[]> {
    return [];
  }

  async resume(): Promise<boolean> {
    return !this.isLost;
  }

  async put({ name }: Blob): Promise<string> {
    this.puts.push(name);
    return name;
  }

  has(): boolean {
    return !this.isLost;
  }

  async endPage(
    state: readonly string[],
    _: unknown,
    kept: ReadonlyMap<string, string>,
  ): Promise<readonly string[]> {
    return [...state, ...kept.values()];
  }
}

const context = toolContext(new JsonDisplay(() => {}), {
  parallel: 1,
  checkpointMilliseconds: 0,
  retryForMilliseconds: 0,
  signal: new AbortController().signal,
});

const move = (place: ListPlace, { entries, append }: KilledJournal<ContentEntry>) =>
  moveContainer(container, place, context, new ContentJournal([...entries], append));

test('each blob is put once, wherever a run is killed', async () => {
  const lines = Array.from({ length: NAMES.length + PAGES.length }, (_, line) => line);
  for (const { nth, isWritten, which } of kills(lines)) {
    const place = new ListPlace();
    const journal = new KilledJournal<ContentEntry>(nth, isWritten);
    await assert.rejects(move(place, journal), /killed/);
    assert.deepEqual(await move(place, journal), NAMES, which);
    // The one that was put and not recorded.
    const twice = place.puts.filter((name, at) => place.puts.indexOf(name) < at);
    assert(twice.length <= (isWritten ? 0 : 1), `${which}: ${twice}`);
    const written = journal.entries.length;
    assert.deepEqual(await move(place, journal), NAMES);
    assert.equal(journal.entries.length, written, 'Nothing was left to do.');
  }
});

test('a place that lost its state begins again', async () => {
  const journal = wholeJournal<ContentEntry>();
  const place = new ListPlace();
  await move(place, journal);
  place.isLost = true;
  journal.entries.pop();
  assert.deepEqual(await move(place, journal), NAMES);
  assert.deepEqual(place.puts, [...NAMES, ...NAMES]);
});
