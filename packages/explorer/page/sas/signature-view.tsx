// The maker of shared access signatures: what may be done, where and until when, in words; the server signs.
import { Copy, KeyRound } from 'lucide';
import { useMemo, useState } from 'preact/hooks';
import {
  faultOf,
  fieldsOf,
  PERMISSIONS,
  type SasForm,
  type Scope,
  SERVICE_LETTERS,
  TYPE_LETTERS,
  wordsOfSas,
} from '../../model/sas-words.js';
import { type Service, send, sentenceOf } from '../client/ask.js';
import { Icon } from '../shell/icon.js';
import { notify } from '../state/notice.js';
import { currentAccount, listings } from '../state/resources.js';
import { account } from '../state/route.js';

interface SignatureViewProps {
  readonly scope: string;
  readonly resource: string;
}

const SCOPES: readonly Scope[] = ['account', 'table', 'queue', 'container', 'blob'];
const LIST_OF: Readonly<Partial<Record<Scope, Service>>> = {
  table: 'table',
  queue: 'queue',
  container: 'blob',
};
const DAY_MILLISECONDS = 24 * 3600 * 1000;
const LIFETIMES: readonly (readonly [hours: number, label: string])[] = [
  [1, '1 hour'],
  [24, '1 day'],
  [24 * 7, '7 days'],
  [24 * 30, '30 days'],
];

const isoOf = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;

const firstForm = (scope: string, resource: string): SasForm => ({
  scope: SCOPES.find(each => each === scope) ?? 'account',
  resource,
  permissions: 'r',
  services: 'bqt',
  types: 'co',
  start: '',
  expiry: isoOf(Date.now() + DAY_MILLISECONDS),
  fromPartition: '',
  fromRow: '',
  toPartition: '',
  toRow: '',
  addresses: '',
  httpsOnly: !Object.values(currentAccount()?.endpoints ?? {}).some(url => url.startsWith('http:')),
});

interface LettersProps {
  readonly legend: string;
  readonly all: readonly (readonly [letter: string, word: string])[];
  readonly chosen: string;
  readonly onChange: (letters: string) => void;
}

const Letters = ({ legend, all, chosen, onChange }: LettersProps) => (
  <fieldset class="letters">
    <legend>{legend}</legend>
    {all.map(([letter, word]) => (
      <label key={letter} class="check">
        <input
          type="checkbox"
          checked={chosen.includes(letter)}
          onChange={() => onChange(chosen.includes(letter) ? chosen.replace(letter, '') : chosen + letter)}
        />
        {word}
      </label>
    ))}
  </fieldset>
);

interface PartProps {
  readonly form: SasForm;
  readonly change: (part: Partial<SasForm>) => void;
}

function Place({ form, change }: PartProps) {
  const { scope, resource } = form;
  const list = LIST_OF[scope];
  const names = list === undefined ? [] : listings[list].value.names;
  return (
    <div class="form-row">
      <label class="field">
        <span>For</span>
        <select
          class="input"
          value={scope}
          onChange={event =>
            change({ scope: event.currentTarget.value as Scope, resource: '', permissions: 'r' })
          }
        >
          <option value="account">the whole account</option>
          <option value="table">one table</option>
          <option value="queue">one queue</option>
          <option value="container">one container</option>
          <option value="blob">one blob</option>
        </select>
      </label>
      {list !== undefined && (
        <label class="field">
          <span>Name</span>
          <select
            class="input"
            value={resource}
            onChange={event => change({ resource: event.currentTarget.value })}
          >
            <option value="">choose…</option>
            {names.map(name => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      {scope === 'blob' && (
        <label class="field grow">
          <span>Container and name</span>
          <input
            class="input mono"
            placeholder="pictures/2026/cat.png"
            value={resource}
            spellcheck={false}
            onInput={event => change({ resource: event.currentTarget.value })}
          />
        </label>
      )}
    </div>
  );
}

const KEYS: readonly (readonly [
  name: 'fromPartition' | 'fromRow' | 'toPartition' | 'toRow',
  label: string,
])[] = [
  ['fromPartition', 'First PartitionKey'],
  ['fromRow', 'First RowKey'],
  ['toPartition', 'Last PartitionKey'],
  ['toRow', 'Last RowKey'],
];

const KeyRange = ({ form, change }: PartProps) => (
  <fieldset class="letters">
    <legend>Keys, both ends included</legend>
    <div class="form-grid pairs">
      {KEYS.map(([name, label]) => (
        <label key={name} class="field">
          <span>{label}</span>
          <input
            class="input mono"
            placeholder="any"
            value={form[name]}
            spellcheck={false}
            onInput={event => change({ [name]: event.currentTarget.value })}
          />
        </label>
      ))}
    </div>
  </fieldset>
);

const Limits = ({ form, change }: PartProps) => (
  <fieldset class="letters">
    <legend>Until when, and from where</legend>
    <div class="row wrap">
      {LIFETIMES.map(([hours, label]) => (
        <button
          key={label}
          type="button"
          class="button"
          onClick={() => change({ expiry: isoOf(Date.now() + hours * 3600 * 1000) })}
        >
          {label}
        </button>
      ))}
    </div>
    <div class="form-grid">
      <label class="field">
        <span>Start (UTC)</span>
        <input
          class="input mono"
          placeholder="now"
          value={form.start}
          onInput={e => change({ start: e.currentTarget.value.trim() })}
        />
      </label>
      <label class="field">
        <span>End (UTC)</span>
        <input
          class="input mono"
          value={form.expiry}
          onInput={e => change({ expiry: e.currentTarget.value.trim() })}
        />
      </label>
      <label class="field">
        <span>IP addresses</span>
        <input
          class="input mono"
          placeholder="any"
          value={form.addresses}
          onInput={e => change({ addresses: e.currentTarget.value.trim() })}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={form.httpsOnly}
          onChange={() => change({ httpsOnly: !form.httpsOnly })}
        />
        HTTPS only
      </label>
    </div>
  </fieldset>
);

type Urls = Readonly<Record<string, string>>;

const Made = ({ urls }: { readonly urls: Urls }) => (
  <section class="made" aria-label="Signature">
    {Object.entries(urls).map(([service, url]) => (
      <div key={service} class="made-url">
        <code class="break">{url}</code>
        <button
          type="button"
          class="button"
          aria-label={`Copy the URL for ${service}s`}
          onClick={() => {
            void navigator.clipboard.writeText(url);
            notify('Copied. The URL is a secret: whoever has it can use it.');
          }}
        >
          <Icon of={Copy} />
          Copy
        </button>
      </div>
    ))}
  </section>
);

export function SignatureView({ scope, resource }: SignatureViewProps) {
  const [form, setForm] = useState(() => firstForm(scope, resource));
  const [urls, setUrls] = useState<Urls>();
  const [failure, setFailure] = useState<string>();
  const fault = useMemo(() => faultOf(form, Date.now()), [form]);
  const change = (part: Partial<SasForm>): void => {
    setForm({ ...form, ...part });
    setUrls(undefined);
    setFailure(undefined);
  };
  const make = async (): Promise<void> => {
    try {
      const response = await send('/signatures', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          account: account.value,
          scope: form.scope,
          resource: form.resource,
          fields: fieldsOf(form),
        }),
      });
      setUrls(((await response.json()) as { readonly urls: Urls }).urls);
    } catch (error) {
      setFailure(sentenceOf(error));
    }
  };
  return (
    <div class="view scrolling">
      <header class="bar">
        <h1>Shared access signature</h1>
      </header>
      <form
        class="signature"
        onSubmit={event => {
          event.preventDefault();
          if (fault === undefined) void make();
        }}
      >
        <Place {...{ form, change }} />
        {form.scope === 'account' && (
          <>
            <Letters
              legend="Services"
              all={SERVICE_LETTERS}
              chosen={form.services}
              onChange={services => change({ services })}
            />
            <Letters
              legend="On"
              all={TYPE_LETTERS}
              chosen={form.types}
              onChange={types => change({ types })}
            />
          </>
        )}
        <Letters
          legend="Allows to"
          all={PERMISSIONS[form.scope]}
          chosen={form.permissions}
          onChange={permissions => change({ permissions })}
        />
        {form.scope === 'table' && <KeyRange {...{ form, change }} />}
        <Limits {...{ form, change }} />
        <div class="words" role="status">
          {fault === undefined ? (
            wordsOfSas(form).map(line => <p key={line}>{line}</p>)
          ) : (
            <p class="fault">{fault}</p>
          )}
        </div>
        <button type="submit" class="button primary" disabled={fault !== undefined}>
          <Icon of={KeyRound} />
          Make the signature
        </button>
        {failure !== undefined && (
          <p class="fault" role="alert">
            {failure}
          </p>
        )}
        {urls !== undefined && <Made urls={urls} />}
      </form>
    </div>
  );
}
