// Changes a file of accounts (docs/security.md), which a server may be reading: the new text is written to a file next
// to it, which then replaces it at once. The result is validated as the server does, before anything is written.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { systemCodeOf, ToolError } from '#data-tools';
import { type AccountKeys, Accounts, ConfigurationError, parseAccounts } from '#server';
import { appendAccount, changeAccount } from './accounts-text.js';

/** Only its owner may read a file of keys. */
const MODE = 0o600;
/** As Azure's keys have. */
const KEY_BYTES = 64;

export const newKey = (): string => randomBytes(KEY_BYTES).toString('base64');

/** The file's text; undefined where there is none. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw failed(path, error);
  }
}

function failed(path: string, error: unknown): unknown {
  const code = systemCodeOf(error);
  if (code === undefined) return error;
  if (code === 'ENOENT')
    return new ToolError('notThere', `${path} cannot be written: its folder is not there.`);
  if (code === 'EISDIR') return new ToolError('usage', `${path} is a folder, not a file of accounts.`);
  return new ToolError('denied', `${path}: ${code}.`);
}

/** Throws ToolError usage for a text that a server would refuse. */
function checked(text: string, path: string): AccountKeys {
  try {
    const accounts = parseAccounts(text);
    new Accounts(accounts);
    return accounts;
  } catch (error) {
    if (error instanceof ConfigurationError) throw new ToolError('usage', `${path}: ${error.message}`);
    throw error;
  }
}

/** The accounts of the file. Throws ToolError notThere or usage. */
export function accountsIn(path: string): AccountKeys {
  const text = textOf(path);
  if (text === undefined) throw new ToolError('notThere', `There is no file ${path}.`);
  return checked(text, path);
}

/** Writes the text to a file next to it and renames that. A second command at the same time finds the name taken. */
function write(path: string, text: string): void {
  const beside = `${path}.new`;
  let file: number;
  try {
    file = openSync(beside, 'wx', modeOf(path));
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw failed(path, error);
    throw new ToolError(
      'conflict',
      `${beside} exists: another command is changing ${path}. If none is running, remove it.`,
    );
  }
  try {
    // Continues after a partial write; writeSync does not.
    writeFileSync(file, text);
    fsyncSync(file);
    closeSync(file);
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw failed(path, error);
  }
}

function modeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? MODE;
}

/** Adds an account; creates the file if it does not exist. */
export function addAccount(path: string, name: string, key: string): void {
  const text = textOf(path) ?? '';
  if (/[^\s#]/.test(text.replace(/^\s*#.*$/gm, '')) && Object.hasOwn(checked(text, path), name))
    throw new ToolError('conflict', `${path} has an account ${name} already.`);
  const changed = appendAccount(text, name, [key]);
  checked(changed, path);
  write(path, changed);
}

/** The text of the file, which must have the account. */
function textWith(path: string, name: string): string {
  if (!Object.hasOwn(accountsIn(path), name))
    throw new ToolError('notThere', `${path} has no account ${name}.`);
  return textOf(path) ?? '';
}

/**
 * Inserts a new key before the present one, which stays valid as the second; the previous second is removed, and with
 * `isLeaked` the present one too.
 */
export function rotateKey(path: string, name: string, key: string, isLeaked: boolean): void {
  const text = textWith(path, name);
  write(
    path,
    changeAccount(text, name, ([present]) => (isLeaked || present === undefined ? [key] : [key, present])),
  );
}

/** A server refuses a file without accounts, so the last one stays. */
export function removeAccount(path: string, name: string): void {
  const text = textWith(path, name);
  if (Object.keys(checked(text, path)).length === 1)
    throw new ToolError('conflict', `${name} is the last account of ${path}, and a server needs one.`);
  write(
    path,
    changeAccount(text, name, () => undefined),
  );
}
