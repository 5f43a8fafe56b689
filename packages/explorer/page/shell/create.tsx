// The dialog that creates a table, a queue or a container.
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { type Service, sentenceOf } from '../client/ask.js';
import { createContainer } from '../client/blob-client.js';
import { createQueue } from '../client/queue-client.js';
import { createTable } from '../client/table-client.js';
import { notify } from '../state/notice.js';
import { refreshListing, SERVICE_NAMES } from '../state/resources.js';
import { account, go, viewOf } from '../state/route.js';
import { Dialog } from './dialog.js';

/** The service whose dialog is open; undefined if none is. */
export const creating = signal<Service | undefined>(undefined);

const CREATE: Readonly<Record<Service, (account: string, name: string) => Promise<void>>> = {
  table: createTable,
  queue: createQueue,
  blob: createContainer,
};

const TABLE_NAME = /^[A-Za-z][A-Za-z0-9]{2,62}$/;
const OTHER_NAME = /^(?=.{3,63}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;
const RULES: Readonly<Record<Service, string>> = {
  table: '3 to 63 letters and digits; begins with a letter.',
  queue: '3 to 63 lower-case letters, digits and single dashes.',
  blob: '3 to 63 lower-case letters, digits and single dashes.',
};

export function Create({ service }: { readonly service: Service }) {
  const [name, setName] = useState('');
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const { one } = SERVICE_NAMES[service];
  const isValid = (service === 'table' ? TABLE_NAME : OTHER_NAME).test(name);
  const close = (): void => {
    creating.value = undefined;
  };
  const create = async (): Promise<void> => {
    if (!isValid || isBusy) return;
    setBusy(true);
    try {
      await CREATE[service](account.value, name);
      close();
      notify(`Created ${one} ${name}.`);
      await refreshListing(service);
      go(viewOf(service, name));
    } catch (error) {
      setFailure(sentenceOf(error));
      setBusy(false);
    }
  };
  const footer = (
    <>
      <button type="button" class="button" onClick={close}>
        Cancel
      </button>
      <button type="submit" class="button primary" disabled={!isValid || isBusy}>
        Create
      </button>
    </>
  );
  return (
    <Dialog title={`New ${one}`} onClose={close} footer={footer} onSubmit={() => void create()}>
      <label class="field">
        <span>Name</span>
        <input
          class="input"
          value={name}
          autocomplete="off"
          spellcheck={false}
          data-autofocus
          onInput={event => {
            setName(event.currentTarget.value);
            setFailure(undefined);
          }}
        />
        <span class={name !== '' && !isValid ? 'fault' : 'hint'}>{RULES[service]}</span>
      </label>
      {failure !== undefined && (
        <p class="fault" role="alert">
          {failure}
        </p>
      )}
    </Dialog>
  );
}
