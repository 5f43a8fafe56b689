// What a shared access signature allows, in words, and the fields that its form has.

export const SCOPES = ['account', 'table', 'queue', 'container', 'blob'] as const;
export type Scope = (typeof SCOPES)[number];

export interface SasForm {
  readonly scope: Scope;
  readonly resource: string;
  readonly permissions: string;
  /** Letters of the services and resource types, of an account's. */
  readonly services: string;
  readonly types: string;
  /** ISO texts; an empty start means now. */
  readonly start: string;
  readonly expiry: string;
  readonly fromPartition: string;
  readonly fromRow: string;
  readonly toPartition: string;
  readonly toRow: string;
  readonly addresses: string;
  readonly httpsOnly: boolean;
}

/** Letters in the order in which the services expect them. */
export const PERMISSIONS: Readonly<Record<Scope, readonly (readonly [letter: string, word: string])[]>> = {
  account: [
    ['r', 'read'],
    ['w', 'write'],
    ['d', 'delete'],
    ['l', 'list'],
    ['a', 'add'],
    ['c', 'create'],
    ['u', 'update'],
    ['p', 'process messages'],
  ],
  table: [
    ['r', 'query entities'],
    ['a', 'add entities'],
    ['u', 'update entities'],
    ['d', 'delete entities'],
  ],
  queue: [
    ['r', 'peek'],
    ['a', 'put messages'],
    ['u', 'update messages'],
    ['p', 'take and delete messages'],
  ],
  container: [
    ['r', 'read blobs'],
    ['a', 'append to blobs'],
    ['c', 'create blobs'],
    ['w', 'write blobs'],
    ['d', 'delete blobs'],
    ['l', 'list blobs'],
  ],
  blob: [
    ['r', 'read'],
    ['a', 'append'],
    ['c', 'create'],
    ['w', 'write'],
    ['d', 'delete'],
  ],
};
export const SERVICE_LETTERS: readonly (readonly [letter: string, word: string])[] = [
  ['b', 'blobs'],
  ['q', 'queues'],
  ['t', 'tables'],
];
export const TYPE_LETTERS: readonly (readonly [letter: string, word: string])[] = [
  ['s', 'the services themselves'],
  ['c', 'tables, queues and containers'],
  ['o', 'entities, messages and blobs'],
];

const wordsOf = (letters: string, all: readonly (readonly [string, string])[]): readonly string[] =>
  all.filter(([letter]) => letters.includes(letter)).map(([, word]) => word);

/** As `a, b and c`. */
function joined(words: readonly string[]): string {
  if (words.length <= 1) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

function rangeWords({ fromPartition, fromRow, toPartition, toRow }: SasForm): string {
  const at = (partition: string, row: string): string =>
    row === '' ? JSON.stringify(partition) : `${JSON.stringify(partition)} · ${JSON.stringify(row)}`;
  const from = fromPartition === '' ? '' : `from ${at(fromPartition, fromRow)}`;
  const to = toPartition === '' ? '' : `to ${at(toPartition, toRow)}`;
  if (from === '' && to === '') return '';
  if (fromPartition === toPartition && fromRow === toRow)
    return `, only the keys ${at(fromPartition, fromRow)}`;
  return `, only keys ${[from, to].filter(Boolean).join(' ')}, both included`;
}

/** A sentence for each thing that matters. */
export function wordsOfSas(form: SasForm): readonly string[] {
  const { scope, resource, permissions, services, types, start, expiry, addresses, httpsOnly } = form;
  const can = joined(wordsOf(permissions, PERMISSIONS[scope]));
  const where =
    scope === 'account'
      ? `on ${joined(wordsOf(types, TYPE_LETTERS))}, of all ${joined(wordsOf(services, SERVICE_LETTERS))} of the account`
      : `in ${scope} ${resource}${rangeWords(form)}`;
  return [
    `Whoever has it can ${can || 'do nothing'} ${scope === 'blob' ? `the blob ${resource}` : where}.`,
    `It is good ${start === '' ? '' : `from ${start} `}until ${expiry}${addresses === '' ? '' : `, from ${addresses}`}${httpsOnly ? ', over HTTPS only' : ''}.`,
    'It cannot be taken back before then, except by changing the key that signed it.',
  ];
}

/** The query's fields for the server, which signs them. */
export function fieldsOf(form: SasForm): Readonly<Record<string, string>> {
  const { scope, permissions, services, types, start, expiry, addresses, httpsOnly } = form;
  const ordered = PERMISSIONS[scope].map(([letter]) => letter).filter(letter => permissions.includes(letter));
  const fields: Record<string, string> = { sp: ordered.join(''), st: start, se: expiry, sip: addresses };
  if (httpsOnly) fields.spr = 'https';
  if (scope === 'account') Object.assign(fields, { ss: services, srt: types });
  if (scope === 'table')
    Object.assign(fields, {
      spk: form.fromPartition,
      srk: form.fromRow,
      epk: form.toPartition,
      erk: form.toRow,
    });
  return fields;
}

/** What is wrong with the form; undefined if nothing is. */
export function faultOf(form: SasForm, now: number): string | undefined {
  const { scope, resource, permissions, services, types, start, expiry, addresses } = form;
  if (scope !== 'account' && resource === '') return `Choose a ${scope}.`;
  if (permissions === '') return 'Choose what it allows.';
  if (scope === 'account' && (services === '' || types === '')) return 'Choose services and what of them.';
  if (Number.isNaN(Date.parse(expiry)) || Date.parse(expiry) <= now) return 'The end must be a time to come.';
  if (start !== '' && !(Date.parse(start) < Date.parse(expiry))) return 'The start must come before the end.';
  if (form.fromRow !== '' && form.fromPartition === '') return 'The first RowKey needs a PartitionKey.';
  if (form.toRow !== '' && form.toPartition === '') return 'The last RowKey needs a PartitionKey.';
  if (addresses !== '' && !/^\d+\.\d+\.\d+\.\d+(?:-\d+\.\d+\.\d+\.\d+)?$/.test(addresses))
    return 'An address is one as 10.0.0.1, or a range as 10.0.0.1-10.0.0.9.';
  return undefined;
}
