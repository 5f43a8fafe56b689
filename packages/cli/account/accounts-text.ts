// Edits the text of an accounts file: changes one entry and leaves every other line, including comments, as it is. The
// server's own parser defines what an account is; this only finds its position.

/** The new keys of an account, or undefined to remove it. */
type Change = (keys: readonly string[]) => readonly string[] | undefined;

const entryOf = (name: string, keys: readonly string[]): string => [name, ...keys].join(':');

/** One entry, changed if it is the account's; undefined if nothing remains of it. */
function changedEntry(entry: string, name: string, change: Change): string | undefined {
  const [first = '', ...keys] = entry.trim().split(':');
  if (first !== name) return entry;
  const changed = change(keys);
  return changed && entryOf(name, changed);
}

/** One line, which may hold several entries. Removes a line whose last account went; keeps one that was empty before. */
function changedLine(line: string, name: string, change: Change): string | undefined {
  if (line.trimStart().startsWith('#') || line.trim() === '') return line;
  const kept = line.split(';').flatMap(entry => changedEntry(entry, name, change) ?? []);
  return kept.every(entry => entry.trim() === '') ? undefined : kept.join(';');
}

/** The text with the account's keys replaced by the result of `change`, or without the account if that is undefined. */
export const changeAccount = (text: string, name: string, change: Change): string =>
  text
    .split('\n')
    .flatMap(line => changedLine(line, name, change) ?? [])
    .join('\n');

/** The text with one more account, on a line of its own at the end. */
export function appendAccount(text: string, name: string, keys: readonly string[]): string {
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return `${before}${entryOf(name, keys)}\n`;
}
