// Indexes in other partitions and tables, as `shelfmark-patterns/indexes`: the flow that keeps them. An entry of its own, because it needs the official client of queues, which most programs do without.

export { indexFlow } from './derived/remote/index-flow.js';
export type { IndexFlowInput } from './derived/remote/index-message.js';
export { remote } from './derived/remote/remote.js';
