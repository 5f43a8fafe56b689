// Fetches the files of Cassandra from Maven Central into a directory of the user's cache, each checked by its digest; intact files are kept.
// jars.sha256 lists them: `org.apache.cassandra:cassandra-all` with its run-time dependencies, without the libraries for systems other than
// Linux, made from `mvn dependency:copy-dependencies -Dmdep.useRepositoryLayout=true`. Paths are those of Maven Central.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { sharedFile } from './node-files.js';

const CASSANDRA_VERSION = '5.0.9';

export interface Jar {
  readonly path: string;
  readonly sha256: string;
}

const REPOSITORY = 'https://repo1.maven.org/maven2';
const AT_ONCE = 8;
const ATTEMPTS = 3;

const cacheDirectory = (): string =>
  join(
    process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
    'shelfmark',
    `cassandra-${CASSANDRA_VERSION}`,
  );

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function download({ path, sha256 }: Jar): Promise<Buffer> {
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await fetch(`${REPOSITORY}/${path}`);
      if (!answer.ok) throw new Error(`Maven Central answered ${answer.status} to ${path}.`);
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (digestOf(bytes) !== sha256)
        throw new Error(`${path} is not what it was: its SHA-256 is ${digestOf(bytes)}.`);
      return bytes;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * Fetches into the directory, again if the present file is damaged. Rejects if the fetched file has another digest, and
 * leaves the directory as it was.
 */
export async function fetchJar(jar: Jar, directory: string): Promise<string> {
  const file = join(directory, basename(jar.path));
  if (existsSync(file) && digestOf(readFileSync(file)) === jar.sha256) return file;
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, await download(jar));
  renameSync(unfinished, file);
  return file;
}

const jars = (): readonly Jar[] =>
  readFileSync(sharedFile('jars.sha256'), 'utf8')
    .trim()
    .split('\n')
    .map(line => {
      const [sha256 = '', path = ''] = line.split(/ +/);
      return { path, sha256 };
    });

/** The files, in the order of the list. */
export async function fetchJars(): Promise<readonly string[]> {
  const all = jars();
  const directory = cacheDirectory();
  mkdirSync(directory, { recursive: true });
  const files: string[] = [];
  for (let from = 0; from < all.length; from += AT_ONCE)
    files.push(...(await Promise.all(all.slice(from, from + AT_ONCE).map(jar => fetchJar(jar, directory)))));
  return files;
}
