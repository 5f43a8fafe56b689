// Remembers what short texts were parsed to, for texts that clients send again and again: a SAS, an Accept header.

export interface MemoLimits {
  readonly entriesMax: number;
  /** Longer texts are computed each time. */
  readonly lengthMax: number;
}

/** `parse` must be pure and its results immutable. What it throws is not remembered. When full, it begins anew. */
export function memo<T>(
  parse: (text: string) => T,
  { entriesMax, lengthMax }: MemoLimits,
): (text: string) => T {
  const known = new Map<string, T>();
  return text => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const parsed = parse(text);
    if (text.length > lengthMax) return parsed;
    if (known.size >= entriesMax) known.clear();
    known.set(text, parsed);
    return parsed;
  };
}
