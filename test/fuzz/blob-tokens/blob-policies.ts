// The stored access policies that every container of the world has.
import { type Policy, policyDocument } from '../tokens/policies.js';

export const BLOB_POLICIES: ReadonlyMap<string, Policy> = new Map<string, Policy>([
  ['full', { st: '2019-01-01', se: '2030-01-01', sp: 'racwdl' }],
  ['read', { sp: 'r' }],
  ['past', { se: '2019-06-01', sp: 'racwdl' }],
  ['expiry', { st: '2019-01-01', se: '2030-01-01' }],
  ['bare', {}],
]);

export const BLOB_POLICY_DOCUMENT = policyDocument(BLOB_POLICIES);
