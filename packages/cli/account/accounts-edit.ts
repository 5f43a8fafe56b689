// Changes a file of accounts (docs/security.md), which a server may be reading: the new text is written to a file next
// to it, which then replaces it at once. The result is validated as the server does, before anything is written.
import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { systemCodeOf, ToolError } from '#data-tools';
import { type AccountKeys, Accounts, ConfigurationError, parseAccounts } from '#server';

/** Only its owner may read a file of keys. */
const MODE = 0o600;
/** As Azure's keys have. */
const KEY_BYTES = 64;

export const newKey = (): string => randomBytes(KEY_BYTES).toString('base64');

function failed(path: string, error: unknown): unknown {
  if (error instanceof ConfigurationError) return new ToolError('usage', `${path}: ${error.message}`);
  const code = systemCodeOf(error);
  if (code === undefined) return error;
  if (code === 'ENOENT')
    return new ToolError('notThere', `${path} cannot be written: its folder is not there.`);
  if (code === 'EISDIR') return new ToolError('usage', `${path} is a folder, not a file of accounts.`);
  if (code === 'EEXIST')
    return new ToolError(
      'conflict',
      `${path}.new exists: another command is changing ${path}. If none is running, remove it.`,
    );
  return new ToolError('denied', `${path}: ${code}.`);
}

/** The file's text; undefined where there is none. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw failed(path, error);
  }
}

function parsed(text: string, path: string): AccountKeys {
  try {
    return parseAccounts(text);
  } catch (error) {
    throw failed(path, error);
  }
}

/** The text and the accounts of the file. Throws ToolError notThere, or usage for a text that a server would refuse. */
function fileIn(path: string): { readonly text: string; readonly accounts: AccountKeys } {
  const text = textOf(path);
  if (text === undefined) throw new ToolError('notThere', `There is no file ${path}.`);
  const accounts = parsed(text, path);
  try {
    new Accounts(accounts);
  } catch (error) {
    throw failed(path, error);
  }
  return { text, accounts };
}

export const accountsIn = (path: string): AccountKeys => fileIn(path).accounts;

/** Validates the text, writes it to a file next to it and renames that. A second command at the same time finds the name taken. */
function write(path: string, text: string): void {
  const beside = `${path}.new`;
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? MODE;
  let isOurs = false;
  try {
    new Accounts(parseAccounts(text));
    writeFileSync(beside, '', { flag: 'wx', mode });
    isOurs = true;
    writeFileSync(beside, text, { flush: true });
    renameSync(beside, path);
  } catch (error) {
    if (isOurs) rmSync(beside, { force: true });
    throw failed(path, error);
  }
}

const entryOf = (name: string, ...keys: readonly string[]): string => [name, ...keys].join(':');

/**
 * The text with an entry in place of the account's, or without it. Lines may hold several entries; other ones, including
 * comments, stay as they are, and a line whose last account goes is removed.
 */
function withEntry(text: string, name: string, entry: string | undefined): string {
  const changed = (line: string): string | [] => {
    if (line.trimStart().startsWith('#') || line.trim() === '') return line;
    const kept = line.split(';').flatMap(each => (each.trim().split(':')[0] === name ? (entry ?? []) : each));
    return kept.every(each => each.trim() === '') ? [] : kept.join(';');
  };
  return text.split('\n').flatMap(changed).join('\n');
}

/** Adds an account, on a line of its own at the end; creates the file if it does not exist. */
export function addAccount(path: string, name: string, key: string): void {
  const text = textOf(path) ?? '';
  if (Object.hasOwn(parsed(text, path), name))
    throw new ToolError('conflict', `${path} has an account ${name} already.`);
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  write(path, `${before}${entryOf(name, key)}\n`);
}

/** The text of the file, which must have the account, and its keys. */
function accountIn(path: string, name: string) {
  const { text, accounts } = fileIn(path);
  const keys = Object.hasOwn(accounts, name) ? accounts[name] : undefined;
  if (keys === undefined) throw new ToolError('notThere', `${path} has no account ${name}.`);
  return { text, keys, count: Object.keys(accounts).length };
}

/**
 * Inserts a new key before the present one, which stays valid as the second; the previous second is removed, and with
 * `isLeaked` the present one too.
 */
export function rotateKey(path: string, name: string, key: string, isLeaked: boolean): void {
  const { text, keys } = accountIn(path, name);
  write(path, withEntry(text, name, entryOf(name, key, ...(isLeaked ? [] : keys.slice(0, 1)))));
}

/** A server refuses a file without accounts, so the last one stays. */
export function removeAccount(path: string, name: string): void {
  const { text, count } = accountIn(path, name);
  if (count === 1)
    throw new ToolError('conflict', `${name} is the last account of ${path}, and a server needs one.`);
  write(path, withEntry(text, name, undefined));
}
