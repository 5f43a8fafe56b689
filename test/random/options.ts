// The options of the suites' commands: texts, and whole numbers.
import { parseArgs } from 'node:util';

type Options<Text extends string, Count extends string, Flag extends string> = {
  readonly [Name in Text]?: string;
} & { readonly [Name in Count]?: number } & { readonly [Name in Flag]?: boolean };

/** Of this process. @throws for unknown ones, and for what is not a number. */
export function optionsOf<Text extends string, Count extends string, Flag extends string = never>(
  texts: readonly Text[],
  counts: readonly Count[],
  flags: readonly Flag[] = [],
): Options<Text, Count, Flag> {
  const named = (names: readonly string[], type: 'string' | 'boolean') =>
    names.map(name => [name, { type }] as const);
  const all = [...named([...texts, ...counts], 'string'), ...named(flags, 'boolean')];
  const values: Record<string, unknown> = { ...parseArgs({ options: Object.fromEntries(all) }).values };
  for (const name of counts) {
    const text = values[name];
    if (text === undefined) continue;
    if (!/^\d{1,9}$/.test(String(text))) throw new RangeError(`--${name} ${text} is not a whole number.`);
    values[name] = Number(text);
  }
  return values as Options<Text, Count, Flag>;
}
