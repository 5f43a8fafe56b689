// What a worker and its primary tell each other. The channel carries any JSON, so both sides look before they believe.

/** To a worker: answer what is under way, close the store and end. */
export const STOP = 'stop';

export type WorkerMessage =
  /** It accepts requests. */
  | { readonly kind: 'ready'; readonly line: string }
  /** It cannot serve, and waits for its end; `code` is the system's, where the system refused. */
  | { readonly kind: 'failed'; readonly text: string; readonly code: string | undefined };

/** Undefined for anything else. */
export function parseWorkerMessage(message: unknown): WorkerMessage | undefined {
  if (typeof message !== 'object' || message === null || !('kind' in message)) return undefined;
  if (message.kind === 'ready' && 'line' in message && typeof message.line === 'string')
    return { kind: 'ready', line: message.line };
  if (message.kind === 'failed' && 'text' in message && typeof message.text === 'string') {
    const code = 'code' in message && typeof message.code === 'string' ? message.code : undefined;
    return { kind: 'failed', text: message.text, code };
  }
  return undefined;
}
