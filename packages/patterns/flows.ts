// Work over partitions, tables and services, as `shelfmark-patterns/flows`: eventually consistent transactions by messages of the Queue service. An entry of its own, because it needs the official
// client of queues, which most programs do without.

export { type CheckStepsOptions, checkSteps } from './flows/check-steps.js';
export type {
  FlowDefinition,
  FlowOptions,
  InputUpcast,
  Step,
  StepContext,
  StepResult,
} from './flows/definition.js';
export { Flow, type FlowFigures, flow, type StartOptions, type WriteOptions } from './flows/flow.js';
export type { FlowEvent, FlowReport } from './flows/flow-event.js';
export { type FollowSpec, follow } from './flows/follow.js';
export type { KeyJson } from './flows/key-json.js';
export { type Found, Move, type MoveSpec, move } from './flows/move.js';
export {
  type OutboxRow,
  outboxRow,
  type Startable,
  type SweepOptions,
  type Swept,
  sweepOutbox,
} from './flows/outbox.js';
export type { PoisonMessage, PoisonOptions } from './flows/poison.js';
export type { Worker, WorkerOptions } from './flows/worker.js';
