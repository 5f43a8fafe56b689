// Work over partitions, tables and services, as `shelfmark-patterns/flows`: eventually consistent transactions by messages of the Queue service. An entry of its own, because it needs the official
// client of queues, which most programs do without.

export { type CheckStepsOptions, checkSteps } from './workflow/check-steps.js';
export type {
  FlowDefinition,
  FlowOptions,
  InputUpcast,
  Step,
  StepContext,
  StepResult,
} from './workflow/definition.js';
export { Flow, type FlowFigures, flow, type StartOptions, type WriteOptions } from './workflow/flow.js';
export type { FlowEvent, FlowReport } from './workflow/flow-event.js';
export { type FollowSpec, follow } from './workflow/follow.js';
export type { KeyJson } from './workflow/key-json.js';
export { type Found, Move, type MoveSpec, move } from './workflow/move.js';
export {
  type OutboxRow,
  outboxRow,
  type Startable,
  type SweepOptions,
  type Swept,
  sweepOutbox,
} from './workflow/outbox.js';
export type { PoisonMessage, PoisonOptions } from './workflow/poison.js';
export type { Worker, WorkerOptions } from './workflow/worker.js';
