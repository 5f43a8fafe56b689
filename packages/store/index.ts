// The store contract. Start with store.ts, which has the contract and its laws on one page; content.ts has that of
// large values next to the rows; engine.ts adds health, statistics and tools. memory-store.ts is the reference model,
// itself an engine; faulty-store.ts injects faults; collect-rows.ts copies scanned rows; peers.ts covers several
// processes with one store. `#store/conformance` has the laws as tests that any engine runs. docs/engines.md: how to
// add an engine.
export * from './collect-rows.js';
export * from './content.js';
export * from './engine.js';
export * from './faulty-store.js';
export * from './memory-store.js';
export * from './peers.js';
export * from './spending.js';
export * from './statistic.js';
export * from './store.js';
export * from './store-error.js';
