// Keys and signatures out of texts that somebody sees: who gives an address where a path or a name belongs finds it again in the sentence that says so.

const SECRETS = /\b((?:AccountKey|SharedAccessSignature)=)[^;"'\s]+|\b(sig=)[^&;"'\s\\]+/gi;

/** The text with `…` in the place of each key of a connection string and each signature of a SAS. */
export const redacted = (text: string): string =>
  text.replace(SECRETS, (_, ofString?: string, ofSas?: string) => `${ofString ?? ofSas ?? ''}…`);
