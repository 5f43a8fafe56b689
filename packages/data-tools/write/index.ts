// What the explorer's page shares of changes and transactions, without anything of Node.
export {
  BODY_BYTES_MAX,
  CHANGES_MAX,
  type ChangeKind,
  isAddressable,
  PART_OVERHEAD_BYTES,
  UNADDRESSABLE,
} from './change.js';
