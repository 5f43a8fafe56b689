// The stored access policies that every table, or container, of the world has.

export interface Policy {
  readonly st?: string;
  readonly se?: string;
  readonly sp?: string;
}

const policiesOf = (sp: string): ReadonlyMap<string, Policy> =>
  new Map<string, Policy>([
    ['full', { st: '2019-01-01', se: '2030-01-01', sp }],
    ['read', { sp: 'r' }],
    ['past', { se: '2019-06-01', sp }],
    ['expiry', { st: '2019-01-01', se: '2030-01-01' }],
    ['constructor', {}],
  ]);

export const POLICIES = policiesOf('raud');
export const BLOB_POLICIES = policiesOf('racwdl');
/** Some that there are not. */
export const POLICY_IDS: readonly string[] = [...POLICIES.keys(), 'missing', '__proto__', 'toString'];

const element = (name: string, text: string | undefined): string =>
  text === undefined ? '' : `<${name}>${text}</${name}>`;

export const policyDocument = (policies: ReadonlyMap<string, Policy>): string =>
  element(
    'SignedIdentifiers',
    [...policies]
      .map(([id, { st, se, sp }]) => {
        const policy = element('Start', st) + element('Expiry', se) + element('Permission', sp);
        return element('SignedIdentifier', element('Id', id) + element('AccessPolicy', policy));
      })
      .join(''),
  );

export const POLICY_DOCUMENT = policyDocument(POLICIES);
