// Which issuers and keys belong to the named tenants.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigurationError } from '#server';
import { tenantsOf } from './tenants.js';

const entra = (tenant: string) => ({
  tenant,
  issuer: [`https://login.microsoftonline.com/${tenant}/v2.0`, `https://sts.windows.net/${tenant}/`],
  jwks: `https://login.microsoftonline.com/${tenant}/discovery/v2.0/keys`,
  audience: undefined,
  role: undefined,
});

test('none, one and several', () => {
  assert.deepEqual(tenantsOf({}), []);
  assert.deepEqual(tenantsOf({ tenant: ['a'] }), [entra('a')]);
  assert.deepEqual(tenantsOf({ tenant: ['a', 'b'] }), [entra('a'), entra('b')]);
});

test('an issuer, keys, an audience and a role of its own', () => {
  const flags = {
    tenant: ['a'],
    tenantIssuer: 'https://issuer.example/',
    tenantJwks: 'keys.json',
    tenantAudience: 'https://me.example',
    tenantRole: 'Storage Table Data Reader',
  } as const;
  const others = { jwks: 'keys.json', audience: 'https://me.example', role: 'Storage Table Data Reader' };
  assert.deepEqual(tenantsOf(flags), [{ tenant: 'a', issuer: 'https://issuer.example/', ...others }]);
  const { tenantIssuer: _, ...shared } = flags;
  assert.deepEqual(tenantsOf({ ...shared, tenant: ['a', 'b'] }), [
    { ...entra('a'), ...others },
    { ...entra('b'), ...others },
  ]);
  assert.throws(() => tenantsOf({ ...flags, tenant: ['a', 'b'] }), ConfigurationError);
});
