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
import type { Service } from '../client/account.js';
import { posted, sentenceOf } from '../client/ask.js';
import { send } from '../client/session.js';
import { Fault } from '../shell/blank.js';
import { Button } from '../shell/button.js';
import { Check, type Options, SelectField, TextField } from '../shell/field.js';
import { copyText } from '../state/notice.js';
import { currentAccount, namesOf } from '../state/resources.js';
import { account } from '../state/route.js';

interface SignatureViewProps {
  readonly scope: string;
  readonly resource: string;
}

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
const DAY_MILLISECONDS = 24 * 3600 * 1000;
const LIFETIMES: readonly (readonly [hours: number, label: string])[] = [
  [1, '1 hour'],
  [24, '1 day'],
  [24 * 7, '7 days'],
  [24 * 30, '30 days'],
];

const isoOf = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;

const firstForm = (scope: string, resource: string): SasForm => ({
  scope: SCOPES.find(([each]) => each === scope)?.[0] ?? 'account',
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
  httpsOnly: !Object.values(currentAccount.value?.endpoints ?? {}).some(url => url.startsWith('http:')),
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
      <Check
        key={letter}
        label={word}
        isChecked={chosen.includes(letter)}
        onToggle={() => onChange(chosen.includes(letter) ? chosen.replace(letter, '') : chosen + letter)}
      />
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
  const names = list === undefined ? [] : namesOf(list);
  return (
    <div class="form-row">
      <SelectField
        label="For"
        options={SCOPES}
        value={scope}
        onChoose={chosen => change({ scope: chosen, resource: '', permissions: 'r' })}
      />
      {list !== undefined && (
        <SelectField
          label="Name"
          options={[['', 'choose…'], ...names.map(name => [name, name] as const)]}
          value={resource}
          onChoose={chosen => change({ resource: chosen })}
        />
      )}
      {scope === 'blob' && (
        <TextField
          label="Container and name"
          kind="field grow"
          inputKind="mono"
          placeholder="pictures/2026/cat.png"
          value={resource}
          onText={text => change({ resource: text })}
        />
      )}
    </div>
  );
}

const KEYS = [
  ['fromPartition', 'First PartitionKey'],
  ['fromRow', 'First RowKey'],
  ['toPartition', 'Last PartitionKey'],
  ['toRow', 'Last RowKey'],
] as const;

const KeyRange = ({ form, change }: PartProps) => (
  <fieldset class="letters">
    <legend>Keys, both ends included</legend>
    <div class="form-grid pairs">
      {KEYS.map(([name, label]) => (
        <TextField
          key={name}
          label={label}
          inputKind="mono"
          placeholder="any"
          value={form[name]}
          onText={text => change({ [name]: text })}
        />
      ))}
    </div>
  </fieldset>
);

const TEXTS = [
  ['start', 'Start (UTC)', 'now'],
  ['expiry', 'End (UTC)', ''],
  ['addresses', 'IP addresses', 'any'],
] as const;

const Limits = ({ form, change }: PartProps) => (
  <fieldset class="letters">
    <legend>Until when, and from where</legend>
    <div class="row wrap">
      {LIFETIMES.map(([hours, label]) => (
        <Button key={label} onClick={() => change({ expiry: isoOf(Date.now() + hours * 3600 * 1000) })}>
          {label}
        </Button>
      ))}
    </div>
    <div class="form-grid">
      {TEXTS.map(([name, label, placeholder]) => (
        <TextField
          key={name}
          label={label}
          inputKind="mono"
          placeholder={placeholder}
          value={form[name]}
          onText={text => change({ [name]: text.trim() })}
        />
      ))}
      <Check
        label="HTTPS only"
        isChecked={form.httpsOnly}
        onToggle={() => change({ httpsOnly: !form.httpsOnly })}
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
      const wanted = { scope: form.scope, resource: form.resource, fields: fieldsOf(form) };
      const response = await send('/signatures', posted({ account: account.value, ...wanted }));
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
        <Button kind="primary" icon={KeyRound} disabled={fault !== undefined}>
          Make the signature
        </Button>
        <Fault text={failure} />
        {urls !== undefined && <Made urls={urls} />}
      </form>
    </div>
  );
}
