// The access policies of a table, a queue or a container over the wire. Reading and setting them needs a key.
import { escapeXml, type XmlElement } from '#wire';
import type { Endpoint } from './endpoint.js';
import { childOf, documentOf, textIn } from './xml-list.js';

export interface Policy {
  readonly id: string;
  readonly start?: string;
  readonly expiry?: string;
  readonly permission?: string;
}

function policiesIn({ children }: XmlElement): readonly Policy[] {
  return children.map(each => {
    const access = childOf(each, 'AccessPolicy');
    const [start, expiry, permission] = ['Start', 'Expiry', 'Permission'].map(
      name => access && textIn(access, name),
    );
    return {
      id: textIn(each, 'Id'),
      ...(start && { start }),
      ...(expiry && { expiry }),
      ...(permission && { permission }),
    };
  });
}

const elementText = (name: string, text: string | undefined): string =>
  text === undefined ? '' : `<${name}>${escapeXml(text)}</${name}>`;

const formatPolicies = (policies: readonly Policy[]): string =>
  `<?xml version="1.0" encoding="utf-8"?><SignedIdentifiers>${policies
    .map(
      ({ id, start, expiry, permission }) =>
        `<SignedIdentifier>${elementText('Id', id)}<AccessPolicy>${elementText('Start', start)}${elementText('Expiry', expiry)}${elementText('Permission', permission)}</AccessPolicy></SignedIdentifier>`,
    )
    .join('')}</SignedIdentifiers>`;

/** The place of a resource's policies. */
interface PolicyPlace {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

export const policiesOfTable = (table: string): PolicyPlace => ({
  path: `/${table}`,
  query: { comp: 'acl' },
});

const NOT_IMPLEMENTED = 501;

/** Null if they cannot be read: with a SAS, or on a server that has none. */
export async function readPoliciesAt(
  endpoint: Endpoint,
  place: PolicyPlace,
): Promise<readonly Policy[] | null> {
  if (!endpoint.address.hasKey || !endpoint.hasPolicies) return null;
  const { value, status } = await endpoint.send({
    method: 'GET',
    ...place,
    serverErrorsMax: 3,
    read: answer => (answer.status === 200 ? policiesIn(documentOf(answer)) : null),
  });
  if (status === NOT_IMPLEMENTED) endpoint.hasPolicies = false;
  return value;
}

/** Whether the server accepted them. */
async function writePoliciesAt(
  endpoint: Endpoint,
  place: PolicyPlace,
  policies: readonly Policy[],
  headers: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const { status } = await endpoint.send({
    method: 'PUT',
    ...place,
    headers: { 'content-type': 'application/xml', ...headers },
    body: formatPolicies(policies),
    serverErrorsMax: 3,
    read: () => undefined,
  });
  return status < 300;
}

/** Sets policies if there are none; returns whether the present ones are the wanted ones. */
export async function offerPolicies(
  endpoint: Endpoint,
  place: PolicyPlace,
  policies: readonly Policy[],
  headers: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  if (policies.length === 0) return true;
  const there = await readPoliciesAt(endpoint, place);
  if (there === null || there.length > 0) return JSON.stringify(there) === JSON.stringify(policies);
  return writePoliciesAt(endpoint, place, policies, headers);
}

interface Notes {
  tell(event: 'note', fields: Readonly<Record<string, unknown>>): void;
}

/** Reports that they are left out, except with a SAS, which can never read them; once for a service that has none. */
export function tellUnread(
  { address, hasPolicies }: Endpoint,
  kind: 'Table' | 'Queue' | 'Container',
  spaces: readonly { readonly name: string; readonly policies: readonly Policy[] | null }[],
  reporter: Notes,
): void {
  const unread = address.hasKey ? spaces.filter(({ policies }) => policies === null) : [];
  const what = kind.toLowerCase();
  if (unread.length > 0 && !hasPolicies) {
    reporter.tell('note', { message: `The source has no access policies of ${what}s: they are left out.` });
    return;
  }
  for (const { name } of unread)
    reporter.tell('note', {
      [what]: name,
      message: `The access policies of ${what} ${name} could not be read, and are left out.`,
    });
}

export async function readPolicies(
  endpoint: Endpoint,
  table: string,
  reporter: Notes,
): Promise<readonly Policy[] | null> {
  const isTold = !endpoint.hasPolicies;
  const policies = await readPoliciesAt(endpoint, policiesOfTable(table));
  if (!isTold) tellUnread(endpoint, 'Table', [{ name: table, policies }], reporter);
  return policies;
}
