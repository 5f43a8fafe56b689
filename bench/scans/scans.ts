// Scans of whole tables: by one client over HTTP, with a filter that no row, one in a thousand, and every row matches;
// compared with raw LMDB and the engine for a walk without one. Runs are interleaved.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { askOnce } from '../load/ask-once.js';
import { drive } from '../load/drive.js';
import { WrongAnswer } from '../load/job.js';
import { createTable, type Endpoint, load } from '../load/requests.js';
import { median } from '../load/statistics.js';
import { MEMBERS } from '../load/template.js';
import { type Account, makeAccount } from '../subjects/account.js';
import type { ArenaOptions } from '../subjects/arena.js';
import { startAzurite } from '../subjects/azurite.js';
import type { SubjectName } from '../subjects/contestant.js';
import type { ServerProcess } from '../subjects/server-process.js';
import { startShelfmark } from '../subjects/shelfmark.js';
import { inTurn } from '../subjects/turn.js';
import { formatCount } from '../text-table.js';
import type { LocalScan } from './local-scan.js';
import type { PageScan, ScanTime } from './page-scan.js';
import { MATCHES, type Match } from './scan-filter.js';
import { entityOf, SHAPES, type Shape } from './shapes.js';

export interface ScansOptions extends ArenaOptions {
  /** Rows of each table. */
  readonly tables: readonly number[];
  readonly subjects: readonly SubjectName[];
  readonly runs: number;
}

/** More do not fit Azurite's default memory: it holds every row as an object. */
export const AZURITE_ROWS_MAX: Readonly<Record<Shape, number>> = { narrow: 100_000, wide: 100_000 };
const TABLE = 'scanned';
const LOADERS = 8;
/** Runs of each scan that are not counted, to warm compilers and caches. */
const WARM_UP_MILLISECONDS = 3000;

export interface ScanFigure {
  readonly rows: number;
  readonly shape: Shape;
  readonly subject: 'shelfmark' | 'azurite' | 'lmdb' | 'engine';
  /** Absent for a walk over rows without a test. */
  readonly match?: Match | undefined;
  /** Medians of the runs. */
  readonly milliseconds: number;
  readonly longestPage?: number | undefined;
}

interface Server {
  readonly name: 'shelfmark' | 'azurite';
  readonly process: ServerProcess;
  readonly endpoint: Endpoint;
  readonly data?: string | undefined;
}

/** One table of one shape in all subjects. */
class ScanContest {
  readonly #options: ScansOptions;
  readonly #rows: number;
  readonly #shape: Shape;
  readonly #folder: string;
  readonly #account: Account = makeAccount();

  constructor(options: ScansOptions, rows: number, shape: Shape) {
    this.#options = options;
    this.#rows = rows;
    this.#shape = shape;
    this.#folder = join(options.directory, `scans-${rows}-${shape}`);
    mkdirSync(this.#folder);
  }

  async measure(): Promise<ScanFigure[]> {
    const servers = await this.#start();
    const figures = await this.#scanServers(servers);
    for (const { process } of servers) await process.stop();
    const { subjects } = this.#options;
    figures.push(await this.#scanLocally('engine'));
    if (subjects.includes('lmdb')) figures.push(await this.#scanLocally('lmdb'));
    // These must not push the next table's files out of the page cache.
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
    return figures;
  }

  async #start(): Promise<Server[]> {
    const { durability, workers, subjects } = this.#options;
    const account = this.#account;
    const data = join(this.#folder, 'shelfmark');
    const shelfmark = await startShelfmark({ directory: data, account, durability, workers });
    const servers = [await this.#load('shelfmark', shelfmark, data)];
    if (!subjects.includes('azurite') || this.#rows > AZURITE_ROWS_MAX[this.#shape]) return servers;
    const azurite = await startAzurite(join(this.#folder, 'azurite'), account);
    servers.push(await this.#load('azurite', azurite));
    return servers;
  }

  /** Leaves the server stopped. */
  async #load(name: Server['name'], process: ServerProcess, data?: string): Promise<Server> {
    const { name: account, signature } = this.#account;
    const endpoint = { port: process.port, account, signature };
    const start = performance.now();
    const job = { port: process.port, rows: this.#rows, first: 0 };
    await drive({ ...job, requests: [createTable(endpoint, TABLE)], connections: 1, count: 1 }, 'built-in');
    const rows = load(endpoint, TABLE, entityOf(this.#shape));
    await drive({ ...job, requests: [rows], connections: LOADERS, count: this.#rows / MEMBERS }, 'built-in');
    this.#options.say(`${this.#name(name)}: loaded in ${((performance.now() - start) / 1000).toFixed(1)} s`);
    process.pause();
    return { name, process, endpoint, data };
  }

  async #scanServers(servers: readonly Server[]): Promise<ScanFigure[]> {
    const cases = MATCHES.flatMap(match =>
      servers.map(server => ({ server, match, times: [] as ScanTime[] })),
    );
    for (const { server, match } of cases) {
      const until = performance.now() + WARM_UP_MILLISECONDS;
      while (performance.now() < until) await this.#scan(server, match);
    }
    for (let run = 1; run <= this.#options.runs; run += 1) {
      for (const { server, match, times } of cases) {
        const time = await this.#scan(server, match);
        times.push(time);
        const told = `${this.#name(server.name)}, ${match}, run ${run}`;
        this.#options.say(`${told}: ${Math.round(time.milliseconds)} ms`);
      }
    }
    return cases.map(({ server, match, times }) => ({
      rows: this.#rows,
      shape: this.#shape,
      subject: server.name,
      match,
      milliseconds: median(times.map(({ milliseconds }) => milliseconds)),
      longestPage: median(times.map(({ longest }) => longest)),
    }));
  }

  #scan({ name, process, endpoint, data }: Server, match: Match): Promise<ScanTime> {
    const scan: PageScan = { endpoint, table: TABLE, rows: this.#rows, match };
    return inTurn({ processes: [process], data }, () =>
      answerOf<ScanTime>(name, new URL('page-scan-process.js', import.meta.url), scan),
    );
  }

  async #scanLocally(kind: LocalScan['kind']): Promise<ScanFigure> {
    const scan: LocalScan = {
      kind,
      directory: join(this.#folder, kind === 'engine' ? 'shelfmark' : kind),
      account: this.#account.name,
      table: TABLE,
      shape: this.#shape,
      rows: this.#rows,
      runs: this.#options.runs,
    };
    const program = new URL('local-scan-process.js', import.meta.url);
    const { milliseconds } = await answerOf<{ milliseconds: number[] }>(kind, program, scan);
    this.#options.say(`${this.#name(kind)}: ${milliseconds.map(Math.round).join(', ')} ms`);
    return { rows: this.#rows, shape: this.#shape, subject: kind, milliseconds: median(milliseconds) };
  }

  #name(subject: string): string {
    return `${formatCount(this.#rows)} ${this.#shape} rows, ${subject}`;
  }
}

async function answerOf<T>(name: string, program: URL, question: object): Promise<T> {
  const reply = await askOnce(program, question);
  const { result, failure } = reply as { readonly result?: T; readonly failure?: unknown };
  if (result === undefined) throw new WrongAnswer(`${name}: ${String(failure)}`);
  return result;
}

export async function measureScans(options: ScansOptions): Promise<readonly ScanFigure[]> {
  const figures: ScanFigure[] = [];
  for (const rows of options.tables) {
    for (const shape of SHAPES) figures.push(...(await new ScanContest(options, rows, shape).measure()));
  }
  return figures;
}
