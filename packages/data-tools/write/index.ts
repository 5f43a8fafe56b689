// What the explorer's page shares of changes, transactions and concurrency, without anything of Node.
export { inParallel } from '../run/in-parallel.js';
export {
  BODY_BYTES_MAX,
  CHANGES_MAX,
  type ChangeKind,
  isAddressable,
  PART_OVERHEAD_BYTES,
  UNADDRESSABLE,
} from './change.js';
