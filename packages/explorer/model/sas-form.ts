// The form of a shared access signature, by the names of its fields (docs/protocol/sas.md), and what it allows in words.

export type Scope = 'account' | 'table' | 'queue' | 'container' | 'blob';

const FIELDS = ['sp', 'ss', 'srt', 'st', 'se', 'sip', 'spr', 'spk', 'srk', 'epk', 'erk'] as const;
export type SasField = (typeof FIELDS)[number];

/** Times are ISO texts; an empty field is not sent. */
export interface SasForm extends Readonly<Record<SasField, string>> {
  readonly scope: Scope;
  readonly resource: string;
}

/** Words by letter. */
export type Letters = Readonly<Record<string, string>>;

/** In the order in which the services expect them. */
export const PERMISSIONS: Readonly<Record<Scope, Letters>> = {
  account: {
    r: 'read',
    w: 'write',
    d: 'delete',
    l: 'list',
    a: 'add',
    c: 'create',
    u: 'update',
    p: 'process messages',
  },
  table: { r: 'query entities', a: 'add entities', u: 'update entities', d: 'delete entities' },
  queue: { r: 'peek', a: 'put messages', u: 'update messages', p: 'take and delete messages' },
  container: {
    r: 'read blobs',
    a: 'append to blobs',
    c: 'create blobs',
    w: 'write blobs',
    d: 'delete blobs',
    l: 'list blobs',
  },
  blob: { r: 'read', a: 'append', c: 'create', w: 'write', d: 'delete' },
};
export const SERVICES: Letters = { b: 'blobs', q: 'queues', t: 'tables' };
export const RESOURCE_TYPES: Letters = {
  s: 'the services themselves',
  c: 'tables, queues and containers',
  o: 'entities, messages and blobs',
};

/** As `a, b and c`. */
function wordsOf(letters: string, all: Letters): string {
  const words = Object.keys(all).flatMap(letter => (letters.includes(letter) ? (all[letter] ?? []) : []));
  const last = words.pop() ?? '';
  return words.length === 0 ? last : `${words.join(', ')} and ${last}`;
}

function rangeWords({ spk, srk, epk, erk }: SasForm): string {
  const at = (partition: string, row: string): string =>
    [partition, row]
      .filter(Boolean)
      .map(key => JSON.stringify(key))
      .join(' · ');
  if (spk === '' && epk === '') return '';
  if (spk === epk && srk === erk) return `, only the keys ${at(spk, srk)}`;
  const ends = [spk && `from ${at(spk, srk)}`, epk && `to ${at(epk, erk)}`];
  return `, only keys ${ends.filter(Boolean).join(' ')}, both included`;
}

function placeWords(form: SasForm): string {
  const { scope, resource, ss, srt } = form;
  if (scope === 'blob') return `the blob ${resource}`;
  if (scope !== 'account') return `in ${scope} ${resource}${rangeWords(form)}`;
  return `on ${wordsOf(srt, RESOURCE_TYPES)}, of all ${wordsOf(ss, SERVICES)} of the account`;
}

/** A sentence for each thing that matters. */
export function sentencesOf(form: SasForm): readonly string[] {
  const { scope, sp, st, se, sip, spr } = form;
  const from = st === '' ? '' : `from ${st} `;
  const by = `${sip === '' ? '' : `, from ${sip}`}${spr === 'https' ? ', over HTTPS only' : ''}`;
  return [
    `Whoever has it can ${wordsOf(sp, PERMISSIONS[scope])} ${placeWords(form)}.`,
    `It is good ${from}until ${se}${by}.`,
    'It cannot be taken back before then, except by changing the key that signed it.',
  ];
}

/** Fields of one scope alone. */
const SCOPE_OF: Readonly<Partial<Record<SasField, Scope>>> = {
  ss: 'account',
  srt: 'account',
  spk: 'table',
  srk: 'table',
  epk: 'table',
  erk: 'table',
};

/** The query's fields for the server, which signs them. */
export function fieldsOf(form: SasForm): Readonly<Record<string, string>> {
  const { scope, sp } = form;
  const own = FIELDS.filter(name => (SCOPE_OF[name] ?? scope) === scope);
  const ordered = Object.keys(PERMISSIONS[scope]).filter(letter => sp.includes(letter));
  return { ...Object.fromEntries(own.map(name => [name, form[name]])), sp: ordered.join('') };
}

/** What is wrong with the form; undefined if nothing is. */
export function faultOf(form: SasForm, now: number): string | undefined {
  const { scope, resource, sp, ss, srt, st, se, sip, spk, srk, epk, erk } = form;
  if (scope !== 'account' && resource === '') return `Choose a ${scope}.`;
  if (sp === '') return 'Choose what it allows.';
  if (scope === 'account' && (ss === '' || srt === '')) return 'Choose services and what of them.';
  if (!(Date.parse(se) > now)) return 'The end must be a time to come.';
  if (st !== '' && !(Date.parse(st) < Date.parse(se))) return 'The start must come before the end.';
  if (srk !== '' && spk === '') return 'The first RowKey needs a PartitionKey.';
  if (erk !== '' && epk === '') return 'The last RowKey needs a PartitionKey.';
  if (sip !== '' && !/^\d+\.\d+\.\d+\.\d+(?:-\d+\.\d+\.\d+\.\d+)?$/.test(sip))
    return 'An address is one as 10.0.0.1, or a range as 10.0.0.1-10.0.0.9.';
  return undefined;
}
