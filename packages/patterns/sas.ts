// Shared access signatures by typed keys, as `shelfmark-patterns/sas`: tokens for the rows of a query, and the stored policies that revoke them. An entry of its own: only a service that issues tokens has the account's key.
export { putPolicy, removePolicy } from './sas/policies.js';
export { partitions, type SasRows, tableSas } from './sas/table-sas.js';
