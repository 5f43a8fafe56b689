// Reports skipped blobs, each by its name: none is skipped silently.
import type { ToolContext } from '../run/context.js';

export function tellSkipped(
  { reporter }: ToolContext,
  container: string,
  skipped: readonly { readonly name: string; readonly reason: string }[],
): void {
  for (const { name: blob, reason } of skipped)
    reporter.tell('note', {
      container,
      blob,
      message: `Blob ${blob} of ${container} is skipped: ${reason}.`,
    });
}
