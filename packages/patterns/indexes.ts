// Secondary indexes, as `shelfmark-patterns/indexes`: their kinds, and the flow that keeps remote ones. An entry of its own, so that programs without indexes bundle none of it.

export { near } from './derived/near/near.js';
export { indexFlow } from './derived/remote/index-flow.js';
export type { IndexFlowInput } from './derived/remote/remote.js';
export { remote } from './derived/remote/remote.js';
