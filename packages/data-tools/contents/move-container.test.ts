// A run of a container that is killed before or after any line of its journal, and resumed: its place has each blob
// once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Blob } from '../blobs/blob-record.js';
import { JsonDisplay } from '../progress/reporter.js';
import { toolContext } from '../run/context.js';
import { KilledJournal, kills, wholeJournal } from '../testing/killed-journal.js';
import { type ContentEntry, ContentJournal } from './content-journal.js';
import { type BlobPlace, type InputContainer, moveContainer } from './move-container.js';

const PAGES = [['a', 'b'], ['c'], ['d', 'e']];
const NAMES = PAGES.flat();

const container: InputContainer = {
  name: 'box',
  metadata: {},
  policies: null,
  publicAccess: null,
  async *pages() {
    for (const names of PAGES) yield { blobs: names.map(name => ({ name }) as Blob), skipped: [] };
  },
};

class ListPlace implements BlobPlace<string> {
  readonly puts: string[] = [];
  blobs: string[] = [];
  isLost = false;

  async begin(): Promise<void> {
    this.blobs = [];
  }

  async put({ name }: Blob): Promise<string> {
    this.puts.push(name);
    return name;
  }

  has(): boolean {
    return !this.isLost;
  }

  async endPage(_: unknown, kept: readonly string[]): Promise<void> {
    this.blobs.push(...kept);
  }
}

const context = toolContext(new JsonDisplay(() => {}), {
  parallel: 1,
  checkpointMilliseconds: 0,
  retryForMilliseconds: 0,
  signal: new AbortController().signal,
});

const move = async (place: ListPlace, { entries, append }: KilledJournal<ContentEntry>) => {
  await moveContainer(container, place, context, new ContentJournal([...entries], append));
  return place.blobs;
};

test('each blob is put once, wherever a run is killed', async () => {
  for (const { nth, isWritten, which } of kills(NAMES.map((_, line) => line))) {
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

test('what a place has lost is put again', async () => {
  const journal = wholeJournal<ContentEntry>();
  const place = new ListPlace();
  await move(place, journal);
  place.isLost = true;
  assert.deepEqual(await move(place, journal), NAMES);
  assert.deepEqual(place.puts, [...NAMES, ...NAMES]);
});
