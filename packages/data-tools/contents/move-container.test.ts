// A run of a container that is killed before or after any line of its journal, and resumed: its place has each blob
// once, and ends in the same state.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Blob } from '../blobs/blob-record.js';
import { JsonDisplay, Reporter } from '../progress/reporter.js';
import type { ToolContext } from '../run/context.js';
import { REAL_SURROUNDINGS } from '../source/surroundings.js';
import type { ContentEntry } from './content-journal.js';
import type { InputContainer } from './input.js';
import { type BlobPlace, moveContainer } from './move-container.js';

const PAGES = [['a', 'b'], ['c'], ['d', 'e']];
const NAMES = PAGES.flat();

const container: InputContainer = {
  name: 'box',
  metadata: {},
  policies: null,
  publicAccess: null,
  count: async () => NAMES.length,
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

const reporter = new Reporter(new JsonDisplay(() => {}), REAL_SURROUNDINGS);
const context = { reporter, parallel: 1, source: {} } as unknown as ToolContext;

const move = (place: ListPlace, entries: readonly ContentEntry[], append: (entry: ContentEntry) => void) =>
  moveContainer(container, place, context, { entries, append });

test('each blob is put once, wherever a run is killed', async () => {
  const lines = NAMES.length + PAGES.length;
  for (let nth = 0; nth < lines; nth++)
    for (const isWritten of [true, false]) {
      const place = new ListPlace();
      const journal: ContentEntry[] = [];
      let count = 0;
      const killed = move(place, [], entry => {
        const isKilled = count++ === nth;
        if (!isKilled || isWritten) journal.push(entry);
        if (isKilled) throw new Error('killed');
      });
      await assert.rejects(killed, /killed/);
      const which = `killed at ${nth}, ${isWritten ? 'after' : 'before'} the journal had it`;
      assert.deepEqual(await move(place, [...journal], entry => journal.push(entry)), NAMES, which);
      // The one that was put and not recorded.
      const twice = place.puts.filter((name, at) => place.puts.indexOf(name) < at);
      assert(twice.length <= (isWritten ? 0 : 1), `${which}: ${twice}`);
      assert.deepEqual(await move(place, journal, () => assert.fail('nothing is left to do')), NAMES);
    }
});

test('a place that lost its state begins again', async () => {
  const journal: ContentEntry[] = [];
  const place = new ListPlace();
  await move(place, [], entry => journal.push(entry));
  place.isLost = true;
  assert.deepEqual(await move(place, journal.slice(0, -1), () => {}), NAMES);
  assert.deepEqual(place.puts, [...NAMES, ...NAMES]);
});
