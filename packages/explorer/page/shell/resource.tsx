// The questions before a table, a queue or a container is created, and before it is deleted.
import { type Place, RESOURCES, type Service } from '../client/account.js';
import { notify } from '../state/notice.js';
import { refreshListing, SERVICE_NAMES } from '../state/resources.js';
import { account, go, viewOf } from '../state/route.js';
import { ask, confirming } from './dialog.js';

const TABLE_NAME = /^[A-Za-z][A-Za-z0-9]{2,62}$/;
const OTHER_NAME = /^(?=.{3,63}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;
const TABLE_RULE = '3 to 63 letters and digits; begins with a letter.';
const OTHER_RULE = '3 to 63 lower-case letters, digits and single dashes.';

export function create(service: Service): void {
  const { one } = SERVICE_NAMES[service];
  const [pattern, hint] = service === 'table' ? [TABLE_NAME, TABLE_RULE] : [OTHER_NAME, OTHER_RULE];
  ask({
    title: `New ${one}`,
    action: 'Create',
    fields: [{ name: 'name', label: 'Name', isRight: text => pattern.test(text), hint }],
    perform: async ({ name = '' }) => {
      await RESOURCES[service].create({ account: account.value, name });
      notify(`Created ${one} ${name}.`);
      await refreshListing(service);
      go(viewOf(service, name));
    },
  });
}

export function drop(service: Service, place: Place): void {
  const { one, contents } = SERVICE_NAMES[service];
  const { name } = place;
  ask({
    title: `Delete ${one} ${name}?`,
    action: `Delete the ${one}`,
    isDanger: true,
    text: <p>All of its {contents} go with it. There is no way back.</p>,
    fields: confirming(name),
    perform: async () => {
      await RESOURCES[service].remove(place);
      notify(`Deleted ${one} ${name}.`);
      await refreshListing(service);
      go({ kind: 'home' });
    },
  });
}
