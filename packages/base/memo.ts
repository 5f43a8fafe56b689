// Memoized parsing of short texts that clients send again and again: a SAS, an Accept header.
import { detachedString } from './detached-string.js';

export interface MemoLimits {
  readonly entriesMax: number;
  /** Longer texts are parsed each time. */
  readonly lengthMax: number;
}

/**
 * `parse` must be pure and its results immutable. Errors are not cached, nor results that the caller excludes.
 * A full cache is emptied.
 */
export function memo<T>(
  parse: (text: string) => T,
  { entriesMax, lengthMax }: MemoLimits,
  isKept: (parsed: T) => boolean = () => true,
): (text: string) => T {
  const known = new Map<string, T>();
  return text => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (text.length > lengthMax) return parse(text);
    const own = detachedString(text);
    const parsed = parse(own);
    if (!isKept(parsed)) return parsed;
    if (known.size >= entriesMax) known.clear();
    known.set(own, parsed);
    return parsed;
  };
}
