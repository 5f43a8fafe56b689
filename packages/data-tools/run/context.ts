// The context of every tool: how to send requests, where to report progress, and how many readers or writers work at
// once. The command creates it once per run (packages/cli/data-tools).
import type { Reporter } from '../progress/reporter.js';
import type { SourceContext } from '../source/endpoint.js';

export interface ToolContext {
  readonly source: SourceContext;
  readonly reporter: Reporter;
  readonly parallel: number;
  /** Between two entries of a journal: the work that is repeated after a kill. */
  readonly checkpointMilliseconds: number;
}
