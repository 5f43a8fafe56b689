// Stored access policies of a table: what signatures allow that name one, so that they can be changed and revoked together. The service keeps the list of a table as a whole and without an ETag: one program changes it.
import type { SignedIdentifier } from '@azure/data-tables';
import { refuseValue } from '../values/pattern-error.js';
import { permissionsOf, type SasPermissions } from './table-sas.js';

/** What a policy says. What it leaves out each signature says. */
interface TablePolicy {
  readonly permissions?: SasPermissions | undefined;
  readonly startsOn?: Date | undefined;
  readonly expiresOn?: Date | undefined;
}

/** What is needed of a `TableClient`. */
interface PolicyTable {
  getAccessPolicy(): Promise<readonly SignedIdentifier[]>;
  setAccessPolicy(policies: SignedIdentifier[]): Promise<unknown>;
}

/** Of a table, by the service's documentation. */
export const POLICIES_MAX = 5;
/** Characters of a policy's name. */
const POLICY_NAME_MAX = 64;

const listOf = async (table: PolicyTable): Promise<SignedIdentifier[]> => [
  ...(await table.getAccessPolicy()),
];

/** Adds the policy to those of the table, or puts it in place of one of its name. Throws ValueInvalid for a sixth. */
export async function putPolicy(table: PolicyTable, id: string, policy: TablePolicy): Promise<void> {
  if (id.length < 1 || id.length > POLICY_NAME_MAX)
    refuseValue('policy', `a name of 1 to ${POLICY_NAME_MAX} characters`, `it has ${id.length}`);
  const { permissions, startsOn, expiresOn } = policy;
  if (permissions !== undefined) permissionsOf(permissions);
  const others = (await listOf(table)).filter(each => each.id !== id);
  if (others.length >= POLICIES_MAX)
    refuseValue(
      'policy',
      `one of ${POLICIES_MAX}`,
      `the table has ${others.map(each => each.id).join(', ')}`,
    );
  // The service wants the letters in this order.
  const letters = [...'raud'].filter(letter => permissions?.includes(letter)).join('');
  const accessPolicy = {
    ...(permissions !== undefined && { permission: letters }),
    ...(startsOn !== undefined && { start: startsOn }),
    ...(expiresOn !== undefined && { expiry: expiresOn }),
  };
  await table.setAccessPolicy([...others, { id, accessPolicy }]);
}

/** Takes the policy away: signatures that name it are refused from then on, on Azure after up to 30 seconds. Nothing happens if there is none. */
export async function removePolicy(table: PolicyTable, id: string): Promise<void> {
  const all = await listOf(table);
  const others = all.filter(each => each.id !== id);
  if (others.length < all.length) await table.setAccessPolicy(others);
}
