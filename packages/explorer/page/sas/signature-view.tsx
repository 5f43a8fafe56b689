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
import { posted, sentenceOf } from '../client/ask.js';
import { fetchValue } from '../client/session.js';
import { Fault } from '../shell/blank.js';
import { Button } from '../shell/button.js';
import { Check, type Options, SelectField, TextField } from '../shell/field.js';
import { copyText } from '../state/notice.js';
import { currentAccount, namesOf } from '../state/resources.js';
import { account } from '../state/route.js';

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

type Texts = readonly (readonly [name: SasField, label: string, placeholder: string])[];
const KEYS: Texts = [
  ['spk', 'First PartitionKey', 'any'],
  ['srk', 'First RowKey', 'any'],
  ['epk', 'Last PartitionKey', 'any'],
  ['erk', 'Last RowKey', 'any'],
];
const LIMITS: Texts = [
  ['st', 'Start (UTC)', 'now'],
  ['se', 'End (UTC)', ''],
  ['sip', 'IP addresses', 'any'],
];

const endAfter = (hours: number): string =>
  `${new Date(Date.now() + hours * HOUR_MILLISECONDS).toISOString().slice(0, 19)}Z`;

function firstForm(scope: string, resource: string): SasForm {
  const endpoints = Object.values(currentAccount.value?.endpoints ?? {});
  const spr = endpoints.some(url => url.startsWith('http:')) ? '' : 'https';
  const known = SCOPES.find(([each]) => each === scope)?.[0] ?? 'account';
  const fields = { sp: 'r', ss: 'bqt', srt: 'co', st: '', se: endAfter(24), sip: '', spr };
  return { scope: known, resource, ...fields, spk: '', srk: '', epk: '', erk: '' };
}

interface PartProps {
  readonly form: SasForm;
  readonly change: (part: Partial<SasForm>) => void;
}

interface ChecksProps extends PartProps {
  readonly legend: string;
  readonly name: SasField;
  readonly all: Letters;
}

const Checks = ({ legend, name, all, form: { [name]: chosen }, change }: ChecksProps) => (
  <fieldset class="letters">
    <legend>{legend}</legend>
    {Object.entries(all).map(([letter, word]) => {
      const isChecked = chosen.includes(letter);
      const toggle = (): void => change({ [name]: isChecked ? chosen.replace(letter, '') : chosen + letter });
      return <Check key={letter} label={word} isChecked={isChecked} onToggle={toggle} />;
    })}
  </fieldset>
);

const TextFields = ({ texts, form, change }: PartProps & { readonly texts: Texts }) =>
  texts.map(([name, label, placeholder]) => (
    <TextField
      key={name}
      inputKind="mono"
      {...{ label, placeholder }}
      value={form[name]}
      onText={text => change({ [name]: texts === KEYS ? text : text.trim() })}
    />
  ));

function Place({ form: { scope, resource }, change }: PartProps) {
  const list = LIST_OF[scope];
  const choose = (chosen: string): void => change({ resource: chosen });
  return (
    <div class="form-row">
      <SelectField
        label="For"
        options={SCOPES}
        value={scope}
        onChoose={chosen =>
          change({ scope: chosen, resource: '', sp: 'r', spk: '', srk: '', epk: '', erk: '' })
        }
      />
      {list !== undefined && (
        <SelectField
          label="Name"
          options={[['', 'choose…'], ...namesOf(list).map(name => [name, name] as const)]}
          value={resource}
          onChoose={choose}
        />
      )}
      {scope === 'blob' && (
        <TextField
          label="Container and name"
          kind="field grow"
          inputKind="mono"
          placeholder="pictures/2026/cat.png"
          value={resource}
          onText={choose}
        />
      )}
    </div>
  );
}

const Limits = ({ form, change }: PartProps) => (
  <fieldset class="letters">
    <legend>Until when, and from where</legend>
    <div class="row wrap">
      {LIFETIMES.map(([hours, label]) => (
        <Button key={label} onClick={() => change({ se: endAfter(hours) })}>
          {label}
        </Button>
      ))}
    </div>
    <div class="form-grid">
      <TextFields texts={LIMITS} {...{ form, change }} />
      <Check
        label="HTTPS only"
        isChecked={form.spr === 'https'}
        onToggle={() => change({ spr: form.spr === 'https' ? '' : 'https' })}
      />
    </div>
  </fieldset>
);

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
  const [urls, setUrls] = useState<Urls>();
  const [failure, setFailure] = useState<string>();
  const fault = useMemo(() => faultOf(form, Date.now()), [form]);
  const { scope, resource } = form;
  const change = (part: Partial<SasForm>): void => {
    setForm({ ...form, ...part });
    setUrls(undefined);
    setFailure(undefined);
  };
  const make = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (fault !== undefined) return;
    try {
      const request = { account: account.value, scope, resource, fields: fieldsOf(form) };
      setUrls((await fetchValue<{ readonly urls: Urls }>('/signatures', posted(request))).urls);
    } catch (error) {
      setFailure(sentenceOf(error));
    }
  };
  const part = { form, change };
  return (
    <div class="view scrolling">
      <header class="bar">
        <h1>Shared access signature</h1>
      </header>
      <form class="signature" onSubmit={event => void make(event)}>
        <Place {...part} />
        {scope === 'account' && <Checks legend="Services" name="ss" all={SERVICES} {...part} />}
        {scope === 'account' && <Checks legend="On" name="srt" all={RESOURCE_TYPES} {...part} />}
        <Checks legend="Allows to" name="sp" all={PERMISSIONS[scope]} {...part} />
        {scope === 'table' && (
          <fieldset class="letters">
            <legend>Keys, both ends included</legend>
            <div class="form-grid pairs">
              <TextFields texts={KEYS} {...part} />
            </div>
          </fieldset>
        )}
        <Limits {...part} />
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
        <Fault text={failure} />
        {urls !== undefined && <Made urls={urls} />}
      </form>
    </div>
  );
}
