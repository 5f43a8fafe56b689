// How much of a data file LMDB can reuse before the file grows: the sum of its lists of free pages (page-tree.ts). Call
// inside a write transaction, since another process may otherwise change the lists while they are read.

import { PAGE_BYTES } from '../lmdb/file-head.js';
import { FREE_RECORD_AT, readTreeRecord } from '../lmdb/page-format.js';
import { compareFreeKeys, FREE_KEY_BYTES } from './check.js';
import { Findings } from './findings.js';
import { PageFile } from './page-file.js';
import { PageTree } from './page-tree.js';

/** 0 if the file cannot be read: callers have a fallback. */
export function freeBytes(path: string): number {
  try {
    const file = new PageFile(path);
    try {
      return freePages(file) * PAGE_BYTES;
    } finally {
      file.close();
    }
  } catch {
    return 0;
  }
}

function freePages(file: PageFile): number {
  const record = readTreeRecord(file.meta.bytes, FREE_RECORD_AT);
  const tree = new PageTree(file, 'free pages', record, new Findings(), compareFreeKeys);
  let pages = 0;
  for (const entries of tree.pages())
    for (const { key, value } of entries)
      if (key.length === FREE_KEY_BYTES) pages += listed(value, file.bytes);
  return pages;
}

/** An entry is a page number, or a negative run length followed by the first page's number. */
function listed(list: Buffer, fileBytes: number): number {
  const count = Math.min(Number(list.readBigUInt64LE(0)), list.length / 8 - 1);
  let pages = 0;
  for (let index = 1; index <= count; index += 1) {
    const entry = Number(list.readBigInt64LE(8 * index));
    if (entry === 0) continue;
    if (entry < 0) index += 1;
    if (index > count) break;
    const page = entry < 0 ? Number(list.readBigInt64LE(8 * index)) : entry;
    // Free pages at the end of the file may not exist in it.
    if (page * PAGE_BYTES < fileBytes) pages += entry < 0 ? -entry : 1;
  }
  return pages;
}
