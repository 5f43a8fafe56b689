// Checks a whole data file: the pages, the catalogue, each row, and that the contents named by rows are as they were
// written. It reads the file without LMDB, so that it reports damage instead of following it, and changes nothing.
// docs/backup.md lists what a check cannot see.
import { dirname } from 'node:path';
import { nextTurn } from '#base';
import type { Inspection, SpaceCount } from '#store';
import { contentsOf } from '../content/content-path.js';
import {
  FREE_RECORD_AT,
  NAMES_RECORD_AT,
  NODE_TREE,
  readTreeRecord,
  TREE_RECORD_BYTES,
  type TreeRecord,
} from '../lmdb/page-format.js';
import { CheckedCatalog } from './check-catalog.js';
import { CheckedContents } from './check-contents.js';
import { CheckedRows } from './check-rows.js';
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

/** What LMDB knows about a tree apart from its pages: the flags it was created with, and the order of its keys. */
interface TreeKind {
  readonly flags: number;
  readonly compare: (a: Buffer, b: Buffer) => number;
}

const PLAIN: TreeKind = { flags: 0, compare: Buffer.compare };
/** Keys are transaction numbers, which is flag 08; 4000 marks a file without a directory of its own. */
const FREE: TreeKind = { flags: 0x4008, compare: compareFreeKeys };

export const FREE_KEY_BYTES = 8;
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
    const trees = await this.#readNames();
    const catalog = new CheckedCatalog(findings);
    await this.#each(trees.get('catalog'), 'catalog', entry => catalog.add(entry));
    catalog.finish();
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
    await this.#readFree();
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

  async #readNames(): Promise<ReadonlyMap<string, TreeRecord>> {
    const trees = new Map<string, TreeRecord>();
    const names = readTreeRecord(this.#file.meta.bytes, NAMES_RECORD_AT);
    await this.#each(names, 'names', ({ key, value, flags }) => {
      const name = ['catalog', 'long', 'rows'].find(known => key.toString('latin1') === `${known}\0`);
      if (name === undefined || flags !== NODE_TREE || value.length !== TREE_RECORD_BYTES)
        this.#findings.add(`names: '${key.toString('latin1')}' is not a tree of a store.`);
      else trees.set(name, readTreeRecord(value, 0));
    });
    // Opening the store again creates what an interrupted opening left out; only the format can be there before.
    const isBegun = (trees.get('catalog')?.entries ?? 0n) > 1n;
    for (const name of ['rows', 'long']) {
      if (isBegun && !trees.has(name)) this.#findings.add(`names: the tree '${name}' is missing.`);
    }
    return trees;
  }

  /**
   * Call when all pages in use are known. A list holds its length, then pages; -n and a page stand for n pages from
   * that page.
   */
  async #readFree(): Promise<void> {
    const record = readTreeRecord(this.#file.meta.bytes, FREE_RECORD_AT);
    const lists: Buffer[] = [];
    const keep = ({ key, value }: Entry) => {
      if (key.length !== FREE_KEY_BYTES || value.length < 8 || value.length % 8 !== 0)
        this.#findings.add('free pages: a list is damaged.');
      else lists.push(Buffer.from(value));
    };
    await this.#each(record, 'free pages', keep, FREE);
    for (const list of lists) this.#releaseList(list);
    const { missing } = this.#file;
    if (missing > 0n) this.#findings.add(`pages: the file is cut off, ${missing} of its pages are missing.`);
  }

  #releaseList(list: Buffer): void {
    const count = list.readBigUInt64LE(0);
    if (count > BigInt(list.length / 8 - 1)) {
      this.#findings.add('free pages: a list is shorter than it says.');
      return;
    }
    for (let index = 1; index <= Number(count); index += 1) {
      const entry = Number(list.readBigInt64LE(8 * index));
      if (entry === 0) continue;
      const run = entry < 0 ? -entry : 1;
      if (entry < 0) index += 1;
      const page = entry < 0 ? Number(index <= Number(count) ? list.readBigInt64LE(8 * index) : 0n) : entry;
      if (!this.#releaseRun(page, run)) return;
    }
  }

  /** False at the first page that cannot be free: a damaged run could be endless. */
  #releaseRun(page: number, run: number): boolean {
    for (let index = 0; index < run; index += 1) {
      const finding = this.#file.release(page + index);
      if (finding === undefined) continue;
      this.#findings.add(`free pages: ${finding}.`);
      return false;
    }
    return true;
  }

  async #each(
    record: TreeRecord | undefined,
    name: string,
    visit: (entry: Entry) => void,
    { flags, compare }: TreeKind = PLAIN,
  ): Promise<void> {
    if (record === undefined) return;
    if (record.flags !== flags) this.#findings.add(`${name}: its record has unknown flags.`);
    for (const entries of new PageTree(this.#file, name, record, this.#findings, compare).pages()) {
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

/** Keys are transaction numbers. */
export function compareFreeKeys(a: Buffer, b: Buffer): number {
  const [one, other] = [a, b].map(key => (key.length === FREE_KEY_BYTES ? key.readBigUInt64LE() : 0n));
  return Number((one ?? 0n) - (other ?? 0n));
}
