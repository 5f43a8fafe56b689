// The tables of the Blob service's measurements, against the goals.
import {
  APPEND_MIN,
  atLeast,
  atMost,
  DOWNLOAD_MIN,
  LIST_MIN,
  PREFIX_LIST_MILLISECONDS_MAX,
  SMALL_BLOB_MIN,
  TAIL_GROWTH_MAX,
  TRANSFER_MEGABYTES_MAX,
  UPLOAD_MIN,
  type Verdict,
  verdictCells,
} from '../report/goals.js';
import { formatCount, formatMegabytes, formatNumber, textTable } from '../text-table.js';
import type { Blobs } from './blobs.js';
import type { Rate } from './ground.js';

const MEGABYTE = 1_000_000;

/** A rate, and the one that its goal compares it with, by the suffix of its work's name. */
interface Pairing {
  readonly of: string;
  readonly with: string;
  /** Absent where there is no goal. */
  readonly atLeast?: number;
}

const PAIRINGS: readonly Pairing[] = [
  ...[16, 32].flatMap(connections => [
    {
      of: `put, ${connections} connections`,
      with: `insert, ${connections} connections`,
      atLeast: SMALL_BLOB_MIN,
    },
    {
      of: `get, ${connections} connections`,
      with: `point get, ${connections} connections`,
      atLeast: SMALL_BLOB_MIN,
    },
  ]),
  { of: 'append, 16 writers', with: 'insert, 16 writers', atLeast: APPEND_MIN },
  { of: 'upload at once, shelfmark', with: 'upload at once, node:fs', atLeast: UPLOAD_MIN },
  { of: 'upload in blocks, shelfmark', with: 'upload in blocks, node:fs', atLeast: UPLOAD_MIN },
  // The limit for HTTP servers in Node, for the goals above: of the same files.
  { of: 'upload at once, bare node:http', with: 'upload at once, node:fs' },
  { of: 'upload in blocks, bare node:http', with: 'upload in blocks, node:fs' },
  { of: 'download, shelfmark', with: 'download, bare node:http', atLeast: DOWNLOAD_MIN },
];

/** Lists have their number of blobs in their names. */
const LIST = /^(list of \d+ blobs), shelfmark$/;

function pairingOf(name: string): Pairing | undefined {
  const list = LIST.exec(name)?.[1];
  return list === undefined
    ? PAIRINGS.find(({ of }) => of === name)
    : { of: name, with: `${list}, azurite`, atLeast: LIST_MIN };
}

function rateLines(rates: readonly Rate[]): string[][] {
  return rates.map(({ name, perSecond, p50, p99, cost }) => {
    const pairing = pairingOf(name);
    const other = pairing && rates.find(rate => rate.name === pairing.with);
    const ratio = other === undefined ? Number.NaN : perSecond / other.perSecond;
    return [
      name,
      formatNumber(perSecond),
      formatNumber(p50 ?? Number.NaN),
      formatNumber(p99 ?? Number.NaN),
      formatNumber(cost * 1000),
      other === undefined ? '' : `${formatNumber(ratio)} x`,
      ...verdictCells(other && pairing?.atLeast !== undefined ? atLeast(ratio, pairing.atLeast) : undefined),
    ];
  });
}

const RATE_HEADER = ['per second', 'p50 ms', 'p99 ms', 'server us each', 'of the other', 'goal', ''];

const rateTable = (title: string, rates: readonly Rate[] | undefined): string[] =>
  rates === undefined ? [] : [textTable([[title, ...RATE_HEADER], ...rateLines(rates)], 1)];

const line = (name: string, told: string, verdict: Verdict): string =>
  `${name}: ${told} (${verdictCells(verdict).join(', ')})`;

/** Uploads compared with bare node:http that writes and syncs the same bytes. */
function bareLines(rates: readonly Rate[] = []): string[] {
  const rateOf = (name: string): number => rates.find(rate => rate.name === name)?.perSecond ?? Number.NaN;
  return ['upload at once', 'upload in blocks']
    .map(work => ({ work, ratio: rateOf(`${work}, shelfmark`) / rateOf(`${work}, bare node:http`) }))
    .filter(({ ratio }) => !Number.isNaN(ratio))
    .map(({ work, ratio }) => `${work}: ${formatNumber(ratio)} x bare node:http that writes and syncs`);
}

function memoryLines({ memory = [] }: Blobs): string[] {
  return memory.map(({ name, before, highest, megabytesPerSecond }) =>
    line(
      `memory, ${name}`,
      `${formatMegabytes(before)} before, ${formatMegabytes(highest)} at most, ${formatMegabytes(highest - before)} more, ` +
        `at ${formatCount(megabytesPerSecond)} MB a second`,
      atMost((highest - before) / MEGABYTE, TRANSFER_MEGABYTES_MAX, ' MB'),
    ),
  );
}

function tailLine({ tail }: Blobs): string[] {
  if (tail === undefined) return [];
  const { quiet, uploading, megabytesPerSecond } = tail;
  return [
    line(
      'p99 of point gets',
      `${formatNumber(quiet)} ms, ${formatNumber(uploading)} ms while ${formatNumber(megabytesPerSecond)} MB a second are uploaded, ` +
        `${formatNumber(uploading / quiet)} x`,
      atMost(uploading / quiet, TAIL_GROWTH_MAX),
    ),
  ];
}

function prefixLine({ prefix }: Blobs): string[] {
  if (prefix === undefined) return [];
  const { blobs, found, rate } = prefix;
  const p50 = rate.p50 ?? Number.NaN;
  return [
    line(
      `list of ${found} blobs by prefix among ${formatCount(blobs)}`,
      `p50 ${formatNumber(p50)} ms, p99 ${formatNumber(rate.p99 ?? Number.NaN)} ms`,
      atMost(p50, PREFIX_LIST_MILLISECONDS_MAX, ' ms'),
    ),
  ];
}

export const blobsReport = (blobs: Blobs): string =>
  [
    ...rateTable('blobs of 1 KB', blobs.small),
    ...rateTable('lines of 1 KB', blobs.appends),
    ...rateTable('large blobs, MB', blobs.transfers),
    ...bareLines(blobs.transfers),
    ...rateTable('lists, blobs', blobs.lists),
    ...memoryLines(blobs),
    ...tailLine(blobs),
    ...prefixLine(blobs),
  ].join('\n\n');
