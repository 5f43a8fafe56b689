// Work over partitions, tables and services, as `shelfmark-patterns/flows`: eventually consistent transactions by messages of the Queue service. An entry of its own, because it needs the official
// client of queues, which most programs do without.

export { checkSteps } from './flows/check-steps.js';
export type { Step, StepResult } from './flows/definition.js';

export { Flow, type FlowFigures, flow } from './flows/flow.js';
export { follow } from './flows/follow.js';
export { type Found, Move, move } from './flows/move.js';
export { type OutboxRow, outboxRow, type Swept, sweepOutbox } from './flows/outbox.js';
export type { PoisonMessage } from './flows/poison.js';
export type { FlowEvent, Worker, WorkerOptions } from './flows/worker.js';
