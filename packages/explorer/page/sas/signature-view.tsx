// The maker of shared access signatures: what may be done, where and until when, in words; the server signs.
import { Copy, KeyRound } from 'lucide';
import { useMemo, useState } from 'preact/hooks';
import {
  faultOf,
  fieldsOf,
  type Letters,
  PERMISSIONS,
  RESOURCE_TYPES,
  type SasField,
  type SasForm,
  type Scope,
  SERVICES,
  sentencesOf,
} from '../../model/sas-form.js';
import type { Service } from '../client/account.js';
import { posted } from '../client/ask.js';
import { fetchValue } from '../client/session.js';
import { Fault } from '../shell/blank.js';
import { Button } from '../shell/button.js';
import { type Asked, Fields, type Options, type Values } from '../shell/field.js';
import { copyText } from '../state/notice.js';
import { currentAccount, namesOf } from '../state/resources.js';
import { account } from '../state/route.js';
import { useWork } from '../state/work.js';

const SCOPES: Options<Scope> = [
  ['account', 'the whole account'],
  ['table', 'one table'],
  ['queue', 'one queue'],
  ['container', 'one container'],
  ['blob', 'one blob'],
];
const LIST_OF: Readonly<Partial<Record<Scope, Service>>> = {
  table: 'table',
  queue: 'queue',
  container: 'blob',
};
const HOUR_MILLISECONDS = 3600 * 1000;
const LIFETIMES: readonly (readonly [hours: number, label: string])[] = [
  [1, '1 hour'],
  [24, '1 day'],
  [24 * 7, '7 days'],
  [24 * 30, '30 days'],
];

const text = (name: SasField, label: string, placeholder: string): Asked => ({
  ...{ name, label, placeholder, inputKind: 'mono' },
});
const KEYS = [
  text('spk', 'First PartitionKey', 'any'),
  text('srk', 'First RowKey', 'any'),
  text('epk', 'Last PartitionKey', 'any'),
  text('erk', 'Last RowKey', 'any'),
];
const LIMITS: readonly Asked[] = [
  text('st', 'Start (UTC)', 'now'),
  text('se', 'End (UTC)', ''),
  text('sip', 'IP addresses', 'any'),
  { name: 'spr', label: '', kind: 'boxes', options: [['https', 'HTTPS only']] },
];
const boxes = (name: SasField, label: string, all: Letters): Asked => ({
  ...{ name, label, kind: 'boxes', options: Object.entries(all) },
});

const endAfter = (hours: number): string =>
  `${new Date(Date.now() + hours * HOUR_MILLISECONDS).toISOString().slice(0, 19)}Z`;

function firstForm(scope: string, resource: string): SasForm {
  const endpoints = Object.values(currentAccount.value?.endpoints ?? {});
  const spr = endpoints.some(url => url.startsWith('http:')) ? '' : 'https';
  const known = SCOPES.find(([each]) => each === scope)?.[0] ?? 'account';
  const fields = { sp: 'r', ss: 'bqt', srt: 'co', st: '', se: endAfter(24), sip: '', spr };
  return { scope: known, resource, ...fields, spk: '', srk: '', epk: '', erk: '' };
}

/** What the signature is for. */
function placeFields({ scope }: SasForm): readonly Asked[] {
  const list = LIST_OF[scope];
  const names = list === undefined ? [] : namesOf(list);
  const named: Asked = {
    ...{ name: 'resource', label: 'Name' },
    options: [['', 'choose…'], ...names.map(name => [name, name] as const)],
  };
  const blob: Asked = {
    ...{ name: 'resource', label: 'Container and name', kind: 'field grow', inputKind: 'mono' },
    placeholder: 'pictures/2026/cat.png',
  };
  return [
    { name: 'scope', label: 'For', options: SCOPES },
    ...(list === undefined ? [] : [named]),
    ...(scope === 'blob' ? [blob] : []),
  ];
}

const rightsFields = ({ scope }: SasForm): readonly Asked[] => [
  ...(scope === 'account' ? [boxes('ss', 'Services', SERVICES), boxes('srt', 'On', RESOURCE_TYPES)] : []),
  boxes('sp', 'Allows to', PERMISSIONS[scope]),
];

const trimmed = (part: Values): Values =>
  Object.fromEntries(Object.entries(part).map(([name, value]) => [name, value.trim()]));

/** What another scope leaves of the form. */
const NOTHING = { resource: '', sp: 'r', spk: '', srk: '', epk: '', erk: '' };

type Urls = Readonly<Record<string, string>>;

const Made = ({ urls }: { readonly urls: Urls }) => (
  <section class="made" aria-label="Signature">
    {Object.entries(urls).map(([service, url]) => (
      <div key={service} class="made-url">
        <code class="break">{url}</code>
        <Button
          icon={Copy}
          label={`Copy the URL for ${service}s`}
          onClick={() => copyText(url, 'Copied. The URL is a secret: whoever has it can use it.')}
        >
          Copy
        </Button>
      </div>
    ))}
  </section>
);

export function SignatureView(wanted: { readonly scope: string; readonly resource: string }) {
  const [form, setForm] = useState(() => firstForm(wanted.scope, wanted.resource));
  /** The form that was sent, with what came of it. */
  const [sent, setSent] = useState<{ readonly form: SasForm; readonly urls?: Urls }>();
  const { work, run } = useWork();
  const fault = useMemo(() => faultOf(form, Date.now()), [form]);
  const { scope, resource } = form;
  const onChange = (part: Values): void => setForm({ ...form, ...('scope' in part && NOTHING), ...part });
  const make = (event: Event): void => {
    event.preventDefault();
    const request = { account: account.value, scope, resource, fields: fieldsOf(form) };
    if (fault !== undefined) return;
    void run(async () => {
      setSent({ form });
      const { urls } = await fetchValue<{ readonly urls: Urls }>('/signatures', posted(request));
      setSent({ form, urls });
    });
  };
  const part = { values: { ...form }, onChange };
  const isOfForm = sent?.form === form;
  return (
    <div class="view scrolling">
      <header class="bar">
        <h1>Shared access signature</h1>
      </header>
      <form class="signature" onSubmit={make}>
        <div class="form-row">
          <Fields fields={placeFields(form)} {...part} />
        </div>
        <Fields fields={rightsFields(form)} {...part} />
        {scope === 'table' && (
          <fieldset class="letters">
            <legend>Keys, both ends included</legend>
            <div class="form-grid pairs">
              <Fields fields={KEYS} {...part} />
            </div>
          </fieldset>
        )}
        <fieldset class="letters">
          <legend>Until when, and from where</legend>
          <div class="row wrap">
            {LIFETIMES.map(([hours, label]) => (
              <Button key={label} onClick={() => onChange({ se: endAfter(hours) })}>
                {label}
              </Button>
            ))}
          </div>
          <div class="form-grid">
            <Fields fields={LIMITS} {...part} onChange={limits => onChange(trimmed(limits))} />
          </div>
        </fieldset>
        <div class="words" role="status">
          {fault !== undefined ? (
            <p class="fault">{fault}</p>
          ) : (
            sentencesOf(form).map(line => <p key={line}>{line}</p>)
          )}
        </div>
        <Button kind="primary" icon={KeyRound} disabled={fault !== undefined}>
          Make the signature
        </Button>
        <Fault text={isOfForm ? work.failure : undefined} />
        {isOfForm && sent.urls !== undefined && <Made urls={sent.urls} />}
      </form>
    </div>
  );
}
