// What the explorer's page shares of changes and transactions, without anything of Node.
export { type ChangeKind, isAddressable, UNADDRESSABLE } from './change.js';
export { BODY_BYTES_MAX, CHANGES_MAX, PART_OVERHEAD_BYTES } from './transaction-text.js';
