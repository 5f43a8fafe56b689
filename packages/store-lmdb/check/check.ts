// Checks a whole data file: the pages, the catalogue, each row, and that the contents named by rows are as they were
// written. It reads the file without LMDB, so that it reports damage instead of following it, and changes nothing.
// docs/backup.md lists what a check cannot see.
import { dirname } from 'node:path';
import { nextTurn } from '#base';
import type { Inspection, SpaceCount } from '#store';
import { contentsOf } from '../content/content-path.js';
import type { TreeRecord } from '../lmdb/page-format.js';
import { CheckedContents } from './check-contents.js';
import { CheckedRows } from './check-rows.js';
import { catalogOf, freeLists, freeRuns, treesOf } from './file-trees.js';
import { Findings } from './findings.js';
import { PageFile } from './page-file.js';
import { type Entry, PageTree } from './page-tree.js';

export interface CheckReport {
  /** One sentence each, a bounded number of them. */
  readonly findings: readonly string[];
  readonly findingCount: number;
  readonly spaces: readonly SpaceCount[];
  readonly droppedSpaces: number;
  /** In dropped spaces, not reclaimed yet. */
  readonly droppedRows: number;
  readonly fileBytes: number;
  /** Pages that hold the content, and free pages that LMDB can reuse. */
  readonly usedPages: number;
  readonly freePages: number;
  /** Neither; LMDB will not reuse them. */
  readonly lostPages: number;
  /** Changes of rows that are only in the log; the counts above leave them out. */
  readonly loggedChanges: number;
  /** Contents that rows name, and their bytes. */
  readonly contents: number;
  readonly contentBytes: number;
  /** Contents of an earlier format, without checksums: their bytes were not checked. */
  readonly unsummedContents: number;
}

/** Milliseconds after which the check yields the event loop. */
const SLICE_MS = 20;

/**
 * No process may overwrite the pages during the check: either none writes, or the caller holds a snapshot
 * (snapshot.ts).
 *
 * @throws StoreError `corrupt` or `unsupported` if the file's head is not a store's, the system's error if it cannot be
 *   read.
 */
export async function checkFile(
  path: string,
  inspection: Inspection,
  onSlice: () => void = () => undefined,
  contents: CheckedContents = new CheckedContents(contentsOf(dirname(path))),
): Promise<CheckReport> {
  const file = new PageFile(path);
  try {
    return await new Check(file, inspection, onSlice, contents).run();
  } finally {
    file.close();
  }
}

class Check {
  readonly #findings = new Findings();
  readonly #file: PageFile;
  readonly #inspection: Inspection;
  readonly #onSlice: () => void;
  readonly #contents: CheckedContents;
  #sliceEnd = 0;

  constructor(file: PageFile, inspection: Inspection, onSlice: () => void, contents: CheckedContents) {
    this.#file = file;
    this.#contents = contents;
    this.#inspection = inspection;
    this.#onSlice = onSlice;
  }

  async run(): Promise<CheckReport> {
    const findings = this.#findings;
    const trees = treesOf(this.#file, findings);
    const catalog = catalogOf(this.#file, trees, findings);
    for (const space of catalog.living.values()) {
      const finding = this.#inspection.space(space);
      if (finding !== undefined) findings.add(`${space.account}/${space.name}: ${finding}`);
    }
    // A store whose first opening was interrupted has no format record, and no rows either.
    const isStarted = catalog.chunk !== undefined || [...trees.values()].some(({ entries }) => entries > 0n);
    if (isStarted && catalog.chunk === undefined) findings.add('catalog: the format record is missing.');
    const rows = new CheckedRows(
      catalog,
      catalog.chunk ?? 0xffff,
      this.#inspection,
      findings,
      this.#contents,
    );
    await this.#each(trees.get('rows'), 'rows', entry => rows.addRow(entry));
    await this.#each(trees.get('long'), 'long', entry => rows.addLong(entry));
    const spaces = rows.finish();
    this.#contents.addLogged(this.#inspection, catalog.living, findings);
    await this.#contents.read(findings, this.#onSlice);
    this.#readFree();
    return {
      findings: findings.sentences,
      findingCount: findings.count,
      spaces,
      droppedSpaces: catalog.dropped.size,
      droppedRows: rows.droppedRows,
      fileBytes: this.#file.bytes,
      usedPages: this.#file.used,
      freePages: this.#file.free,
      lostPages: this.#file.lost,
      loggedChanges: 0,
      contents: this.#contents.count,
      contentBytes: this.#contents.bytes,
      unsummedContents: this.#contents.unsummed,
    };
  }

  /** Call when all pages in use are known. */
  #readFree(): void {
    const findings = this.#findings;
    for (const list of [...freeLists(this.#file, findings)]) {
      if (list.readBigUInt64LE(0) > BigInt(list.length / 8 - 1))
        findings.add('free pages: a list is shorter than it says.');
      else this.#release(list);
    }
    const { missing } = this.#file;
    if (missing > 0n) findings.add(`pages: the file is cut off, ${missing} of its pages are missing.`);
  }

  /** Ends at the first page that cannot be free: a damaged run could be endless. */
  #release(list: Buffer): void {
    for (const [first, count] of freeRuns(list)) {
      for (let page = first; page < first + count; page += 1) {
        const finding = this.#file.release(page);
        if (finding === undefined) continue;
        this.#findings.add(`free pages: ${finding}.`);
        return;
      }
    }
  }

  async #each(record: TreeRecord | undefined, name: string, visit: (entry: Entry) => void): Promise<void> {
    if (record === undefined) return;
    for (const entries of new PageTree(this.#file, name, record, this.#findings).pages()) {
      for (const entry of entries) visit(entry);
      if (this.#contents.hasUnread) await this.#contents.read(this.#findings, this.#onSlice);
      if (performance.now() >= this.#sliceEnd) await this.#endSlice();
    }
  }

  async #endSlice(): Promise<void> {
    this.#onSlice();
    await nextTurn();
    this.#sliceEnd = performance.now() + SLICE_MS;
  }
}
