// The parameters of a query in which a name came more than once. Which of its values counts is the service's rule; a signature that covers
// the name refuses the request (protocol: authentication#parameters-that-come-twice).

/** Parsers of queries return a plain map where every name came once. */
export class RepeatedParameters extends Map<string, string> {
  readonly names: ReadonlySet<string>;

  constructor(parameters: ReadonlyMap<string, string>, names: ReadonlySet<string>) {
    super(parameters);
    this.names = names;
  }
}

/** The first of the names that came more than once. */
export const repeatedOf = (
  query: ReadonlyMap<string, string>,
  names: readonly string[],
): string | undefined =>
  query instanceof RepeatedParameters ? names.find(name => query.names.has(name)) : undefined;
