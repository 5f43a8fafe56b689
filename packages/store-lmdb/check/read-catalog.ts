// Reads only the catalogue of a data file, as a check does: without LMDB and without a write, so the file may be
// damaged or on a read-only medium. No process may overwrite its pages in the meantime (check.ts).
import { StoreError } from '#store';
import { NAMES_RECORD_AT, NODE_TREE, readTreeRecord, TREE_RECORD_BYTES } from '../lmdb/page-format.js';
import { CheckedCatalog } from './check-catalog.js';
import { Findings } from './findings.js';
import { PageFile } from './page-file.js';
import { type Entry, PageTree } from './page-tree.js';

/** Fails with `corrupt` at the first finding, `unsupported`, or the system's error. */
export function readCatalog(path: string): CheckedCatalog {
  const findings = new Findings();
  const catalog = new CheckedCatalog(findings);
  const file = new PageFile(path);
  const each = (name: string, bytes: Buffer, at: number, visit: (entry: Entry) => void): void => {
    const tree = new PageTree(file, name, readTreeRecord(bytes, at), findings, Buffer.compare);
    for (const entries of tree.pages()) for (const entry of entries) visit(entry);
  };
  try {
    let record: Buffer | undefined;
    each('names', file.meta.bytes, NAMES_RECORD_AT, ({ key, value, flags }) => {
      const isTree = flags === NODE_TREE && value.length === TREE_RECORD_BYTES;
      if (isTree && key.toString('latin1') === 'catalog\0') record = Buffer.from(value);
    });
    if (record !== undefined) each('catalog', record, 0, entry => catalog.add(entry));
  } finally {
    file.close();
  }
  catalog.finish();
  const [finding] = findings.sentences;
  if (finding !== undefined) throw new StoreError('corrupt', `${path} is damaged: ${finding}`);
  return catalog;
}
