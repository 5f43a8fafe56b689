// XML of block lists and page ranges: the list that a request commits, and those in answers (protocol: blob-requests#block-lists).
import { BlobError, COMMITTED_BLOCKS_MAX, checkBlockId, type ListedBlockId, type Outcome } from '#blobs';
import { elementOf } from '../../shared/storage-list-xml.js';
import { invalid, parseRoot, textOf, XML_HEAD, type XmlElement } from '../../shared/xml.js';

const SETS: ReadonlyMap<string, ListedBlockId['from']> = new Map([
  ['Committed', 'committed'],
  ['Uncommitted', 'uncommitted'],
  ['Latest', 'latest'],
]);

/** A name that is none is in no blob either. */
function idOf(element: XmlElement): string {
  const id = textOf(element).trim();
  try {
    checkBlockId(id);
  } catch {
    throw new BlobError('InvalidBlockList');
  }
  return id;
}

/** @throws BlobError BlockListTooLong, InvalidBlockList, ServiceError InvalidXmlDocument. */
export function parseBlockList(body: Buffer): readonly ListedBlockId[] {
  const root = parseRoot(body, 'BlockList');
  if (root.text.trim() !== '') throw invalid('There is text between the blocks.');
  if (root.children.length > COMMITTED_BLOCKS_MAX) throw new BlobError('BlockListTooLong');
  return root.children.map(element => {
    const from = SETS.get(element.name);
    if (from === undefined) throw invalid(`${element.name} is no set of blocks.`);
    return { from, id: idOf(element) };
  });
}

type Blocks = Extract<Outcome, { kind: 'blocks' }>;

function formatSet(name: string, blocks: Blocks['committed']): string {
  if (blocks === undefined) return '';
  if (blocks.length === 0) return `<${name} />`;
  let items = '';
  for (const { id, length } of blocks) items += `<Block><Name>${id}</Name><Size>${length}</Size></Block>`;
  return `<${name}>${items}</${name}>`;
}

/** Starts with a byte order mark. */
export const formatBlockList = ({ committed, uncommitted }: Blocks): string =>
  `${XML_HEAD}<BlockList>${formatSet('CommittedBlocks', committed)}${formatSet('UncommittedBlocks', uncommitted)}</BlockList>`;

type PageRanges = Extract<Outcome, { kind: 'pageRanges' }>;

/** Starts with a byte order mark. A last byte belongs to its range as it is written. */
export function formatPageList({ ranges, next }: PageRanges): string {
  let items = '';
  for (const { from, until, isClear } of ranges) {
    const name = isClear ? 'ClearRange' : 'PageRange';
    items += `<${name}><Start>${from}</Start><End>${until - 1}</End></${name}>`;
  }
  items += elementOf('NextMarker', next?.toString());
  return XML_HEAD + (items === '' ? '<PageList />' : `<PageList>${items}</PageList>`);
}
