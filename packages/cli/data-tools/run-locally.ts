// Runs a tool that contacts no account and prints its text. Reports an error as the other tools do, as an event if
// stderr is not a terminal, and nothing else.
import { EXIT, JsonDisplay, systemCodeOf, ToolError } from '#data-tools';
import { NO_READER, survivesClosedPipes, writeOut } from './run-tool.js';

function tell(code: number, message: string): void {
  const write = (text: string): boolean => process.stderr.write(text);
  if (process.stderr.isTTY) write(`shelfmark: ${message}\n`);
  else new JsonDisplay(write).tell('error', { code, message });
  process.exitCode = code;
}

/** A file or an output that the system refuses; anything else that is thrown is a bug, and is reported with its stack. */
function refusalOf(error: unknown): string | undefined {
  const code = systemCodeOf(error);
  if (code === undefined || !(error instanceof Error)) return undefined;
  return code === 'EPIPE' ? NO_READER : `${error.message}.`;
}

export async function runLocally(work: () => string): Promise<void> {
  survivesClosedPipes();
  try {
    await writeOut(work());
  } catch (error) {
    if (error instanceof ToolError) tell(error.exitCode, error.message);
    else {
      const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
      tell(EXIT.gaveUp, refusalOf(error) ?? stack);
    }
  }
}
