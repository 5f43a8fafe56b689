// Installs programs from PyPI, npm and the Go module proxy, each into a directory that is kept between runs.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What reads tables of data in Python: installed once for all tests that need a part of it. */
export const DATA_PACKAGES: readonly string[] = ['deltalake==1.6.6', 'pyarrow==26.0.1', 'adlfs==2026.8.0'];

const INSTALL_MILLISECONDS_MAX = 480_000;

/** Why a test is skipped, as a sentence. */
export interface Missing {
  readonly missing: string;
}

type Command = readonly [string, ...string[]];

/** The directory, unless an installation fails. Without the file that is written last it is made anew, unless SHELFMARK_INSTALL is "no". */
function install(
  name: string,
  packages: readonly string[],
  commandsFor: (directory: string) => readonly Command[],
): { readonly directory: string } | Missing {
  const directory = join(tmpdir(), `shelfmark-programs-${process.getuid?.() ?? 0}`, name);
  const complete = join(directory, `has ${packages.join(' ').replaceAll('/', ' ')}`);
  if (existsSync(complete)) return { directory };
  if (process.env.SHELFMARK_INSTALL === 'no')
    return { missing: `${packages.join(' and ')} are not installed` };
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  for (const [program, ...args] of commandsFor(directory)) {
    const { status, error, stderr } = spawnSync(program, args, {
      encoding: 'utf8',
      env: { ...process.env, GOBIN: directory },
      timeout: INSTALL_MILLISECONDS_MAX,
    });
    if (status !== 0) {
      const reason = error?.message ?? stderr.trim().split('\n').at(-1) ?? '';
      return { missing: `${packages.join(' and ')} can't be installed here: ${reason}` };
    }
  }
  writeFileSync(complete, '');
  return { directory };
}

/** The interpreter among these Python packages. */
export function pythonWith(name: string, packages: readonly string[]): { readonly python: string } | Missing {
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-compile', '--disable-pip-version-check'];
  const installed = install(name, packages, directory => [
    ['python3', '-m', 'venv', directory],
    [join(directory, 'bin', 'python'), ...pip, ...packages],
  ]);
  return 'missing' in installed ? installed : { python: join(installed.directory, 'bin', 'python') };
}

/** The directory `node_modules` of these npm packages. */
export function modulesWith(
  name: string,
  packages: readonly string[],
): { readonly modules: string } | Missing {
  const quiet = ['--no-audit', '--no-fund', '--no-save', '--silent'];
  const installed = install(name, packages, directory => [
    ['npm', 'install', '--prefix', directory, ...quiet, ...packages],
  ]);
  return 'missing' in installed ? installed : { modules: join(installed.directory, 'node_modules') };
}

/** The directory of the command of a Go module. */
export function commandOf(name: string, command: string): { readonly directory: string } | Missing {
  return install(name, [command], () => [['go', 'install', command]]);
}
