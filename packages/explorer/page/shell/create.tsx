// The dialog that creates a table, a queue or a container.
import { useState } from 'preact/hooks';
import { RESOURCES, type Service } from '../client/account.js';
import { close } from '../state/command.js';
import { notify } from '../state/notice.js';
import { refreshListing, SERVICE_NAMES } from '../state/resources.js';
import { account, go, viewOf } from '../state/route.js';
import { Action } from './dialog.js';
import { TextField } from './field.js';

const TABLE_NAME = /^[A-Za-z][A-Za-z0-9]{2,62}$/;
const OTHER_NAME = /^(?=.{3,63}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;
const TABLE_RULE = '3 to 63 letters and digits; begins with a letter.';
const OTHER_RULE = '3 to 63 lower-case letters, digits and single dashes.';

export function Create({ service }: { readonly service: Service }) {
  const [name, setName] = useState('');
  const { one } = SERVICE_NAMES[service];
  const isValid = (service === 'table' ? TABLE_NAME : OTHER_NAME).test(name);
  const create = async (): Promise<void> => {
    await RESOURCES[service].create({ account: account.value, name });
    notify(`Created ${one} ${name}.`);
    await refreshListing(service);
    go(viewOf(service, name));
  };
  return (
    <Action title={`New ${one}`} action="Create" isReady={isValid} perform={create} onClose={close}>
      <TextField label="Name" value={name} onText={setName} isFirst>
        <span class={name !== '' && !isValid ? 'fault' : 'hint'}>
          {service === 'table' ? TABLE_RULE : OTHER_RULE}
        </span>
      </TextField>
    </Action>
  );
}
