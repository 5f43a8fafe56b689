// Requests to the explorer's server, and what a failure is in words, of the explorer or of an account's client.

/** What the explorer itself refuses, or that it does not answer. */
export class AskError extends Error {
  override readonly name = 'AskError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The explorer's answer, or an account's, whatever its status is. @throws AskError, or the signal's reason. */
export async function ask(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path, init).catch(error => {
    if (init.signal?.aborted) throw error;
    throw new AskError('NoAnswer', 'The explorer does not answer. Is Shelfmark still running?');
  });
  const code = response.headers.get('x-explorer-error');
  if (code === null) return response;
  const message = `The explorer answered ${response.status}.`;
  const refusal = await response.json().catch(() => ({ message }));
  throw new AskError(code, (refusal as { readonly message: string }).message);
}

export const posted = (value: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

export const isAborted = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/** An AskError, or a RestError of the clients, which have the code and sentence of tables in the details alone. */
interface Refused {
  readonly message: string;
  readonly code?: unknown;
  readonly statusCode?: number;
  readonly details?: {
    readonly errorCode?: string;
    readonly odataError?: { readonly code?: string; readonly message?: { readonly value?: string } };
  };
}

/** The service's code; empty if there is none. */
export function codeOf(error: unknown): string {
  const { code, details } = error as Refused;
  const found = details?.odataError?.code ?? details?.errorCode ?? code;
  return typeof found === 'string' ? found : '';
}

/** What the service answered; undefined without an answer. */
export const statusOf = (error: unknown): number | undefined => (error as Refused).statusCode;

/** Without the lines in which services repeat the request's id and time. */
function messageOf(error: unknown): string {
  const { message, details, statusCode } = error as Refused;
  const [sentence = ''] = (details?.odataError?.message?.value ?? message).split('\n');
  return sentence || `The service answered ${statusCode}.`;
}

/** For refusals that a client takes for success. */
export const refusalOf = (error: unknown): AskError => new AskError(codeOf(error), messageOf(error));

/** A sentence for the user. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = codeOf(error);
  return code === '' || code === 'NoAnswer' ? messageOf(error) : `${code}: ${messageOf(error)}`;
}
