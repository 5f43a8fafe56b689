// Changes and transactions as text, without anything of Node: what the explorer's page shares with the tools.
export {
  type ChangeKind,
  type ChangeRequest,
  entityPath,
  isAddressable,
  requestOf,
  UNADDRESSABLE,
} from './change.js';
export {
  BATCH_TYPE,
  BODY_BYTES_MAX,
  CHANGES_MAX,
  formatTransaction,
  PART_OVERHEAD_BYTES,
  statusesIn,
} from './transaction-text.js';
