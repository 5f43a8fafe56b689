// Removes keys and signatures from texts that users see: a user who gives an address where a path or a name belongs
// would find it in the error message.

const SECRETS = /\b((?:AccountKey|SharedAccessSignature)=)[^;"'\s]+|\b(sig=)[^&;"'\s\\]+/gi;

/** The text with `…` in place of each key of a connection string and each signature of a SAS. */
export const redacted = (text: string): string =>
  text.replace(SECRETS, (_, ofString?: string, ofSas?: string) => `${ofString ?? ofSas ?? ''}…`);
