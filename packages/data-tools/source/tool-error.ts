// The failure of a data tool: an exit code and a sentence. Each expected failure is a ToolError, thrown where it is
// found; the command's runner prints it (progress/reporter.ts) and exits with its code. Anything else that is thrown is
// a bug. No message contains a key or a signature: code that makes one names an endpoint by `Address.name`, and
// `redacted` removes what the user's own words contained.

/** The exit codes of the data tools; docs/data-tools.md has them for users. */
export const EXIT = {
  /** Done; nothing differs. */
  done: 0,
  /** diff and verify: different, damaged or unfinished. */
  different: 1,
  usage: 2,
  denied: 3,
  notThere: 4,
  /** Conflicts, refused rows, a directory in use. */
  conflict: 5,
  /** No success for as long as --retry-for allows; --resume continues. */
  gaveUp: 6,
  /** The dump to load is damaged or unfinished; nothing was written. */
  damaged: 7,
  interrupted: 130,
} as const;

export type ExitName = keyof typeof EXIT;

const SECRETS = /\b((?:AccountKey|SharedAccessSignature)=)[^;"'\s]+|\b(sig=)[^&;"'\s\\]+/gi;

/**
 * For texts that users see: a user who gives an address where a path or a name belongs would find it in the error
 * message. The text has `…` in place of each key of a connection string and each signature of a SAS.
 */
export const redacted = (text: string): string =>
  text.replace(SECRETS, (_, ofString?: string, ofSas?: string) => `${ofString ?? ofSas ?? ''}…`);

export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly exit: ExitName;

  constructor(exit: ExitName, message: string, options?: ErrorOptions) {
    super(redacted(message), options);
    this.exit = exit;
  }

  get exitCode(): number {
    return EXIT[this.exit];
  }
}

/** The system's code of an error, such as ENOSPC, where there is one. */
export const systemCodeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
