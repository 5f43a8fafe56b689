// What every tool is handed: how requests go out, where progress is told, and how many readers or writers work at once. The command makes it once a run (packages/cli/data-tools).
import type { Reporter } from '../progress/reporter.js';
import type { SourceContext } from '../source/endpoint.js';

export interface ToolContext {
  readonly source: SourceContext;
  readonly reporter: Reporter;
  readonly parallel: number;
  /** Between two entries of a journal: what is done again after a kill. */
  readonly checkpointMilliseconds: number;
}
