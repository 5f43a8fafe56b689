// Who may use the explorer: a one-time link opens a session, and a session has two secrets. The cookie is HttpOnly, so
// no script can read it; but browsers send cookies of 127.0.0.1 to every port there, so another local server could see
// it. The proof closes that gap: the page keeps it in its own origin's storage and sends it in a header, which pages of
// other origins cannot do without CORS. A navigation of the browser, which saves a large blob to disk, carries no proof:
// the page fetches a ticket for it, which works once, for a short time.
import { createHash, timingSafeEqual } from 'node:crypto';

/** What sessions take from outside. */
export interface Surroundings {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly randomBytes: (count: number) => Buffer;
}

export interface Session {
  readonly cookie: string;
  readonly proof: string;
}

export interface Download {
  /** As the page would fetch it: `/accounts/NAME/blob/…`. */
  readonly path: string;
  /** The name of the file. */
  readonly name: string;
}

const SECRET_BYTES = 32;
/** A browser left open over night asks for a new link in the morning. */
const IDLE_MILLISECONDS_MAX = 12 * 60 * 60 * 1000;
/** One person has a few browsers; the oldest session ends when there are more. */
const SESSIONS_MAX = 16;
/** Anyone on this machine can ask for a new link, and each is a line in the terminal. */
const LINK_PAUSE_MILLISECONDS = 5_000;
const TICKET_MILLISECONDS_MAX = 60_000;
const TICKETS_MAX = 100;

const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();

/** Adds an entry; beyond `most`, the oldest goes. */
function keep<Value>(entries: Map<string, Value>, key: string, value: Value, most: number): void {
  const [oldest] = entries.keys();
  if (entries.size >= most && oldest !== undefined) entries.delete(oldest);
  entries.set(key, value);
}

export class Sessions {
  readonly #surroundings: Surroundings;
  /** Only digests are kept, so that comparing them takes the same time whatever was sent. */
  readonly #sessions = new Map<string, { readonly proof: Buffer; lastUsed: number }>();
  readonly #tickets = new Map<string, Download & { readonly until: number }>();
  #link: Buffer | undefined;
  #linkMade = Number.NEGATIVE_INFINITY;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  #secret(): string {
    return this.#surroundings.randomBytes(SECRET_BYTES).toString('base64url');
  }

  /** A new link's secret, which replaces the one before it; undefined if the last one is too young. */
  newLink(): string | undefined {
    const now = this.#surroundings.now();
    if (now - this.#linkMade < LINK_PAUSE_MILLISECONDS) return undefined;
    const link = this.#secret();
    this.#link = digest(link);
    this.#linkMade = now;
    return link;
  }

  /** Uses the link up. Undefined if it is none, or was used before. */
  open(link: string): Session | undefined {
    if (this.#link === undefined || !timingSafeEqual(this.#link, digest(link))) return undefined;
    this.#link = undefined;
    const session = { cookie: this.#secret(), proof: this.#secret() };
    const kept = { proof: digest(session.proof), lastUsed: this.#surroundings.now() };
    keep(this.#sessions, digest(session.cookie).toString('hex'), kept, SESSIONS_MAX);
    return session;
  }

  /** Whether the cookie belongs to a session; with a proof, whether both do. Each use keeps the session alive. */
  admits(cookie: string, proof?: string): boolean {
    const key = digest(cookie).toString('hex');
    const session = this.#sessions.get(key);
    if (session === undefined) return false;
    const now = this.#surroundings.now();
    if (now - session.lastUsed > IDLE_MILLISECONDS_MAX) {
      this.#sessions.delete(key);
      return false;
    }
    if (proof !== undefined && !timingSafeEqual(session.proof, digest(proof))) return false;
    session.lastUsed = now;
    return true;
  }

  end(cookie: string): void {
    this.#sessions.delete(digest(cookie).toString('hex'));
  }

  addTicket(download: Download): string {
    const ticket = this.#secret();
    const until = this.#surroundings.now() + TICKET_MILLISECONDS_MAX;
    keep(this.#tickets, ticket, { ...download, until }, TICKETS_MAX);
    return ticket;
  }

  /** Uses the ticket up. */
  takeTicket(ticket: string): Download | undefined {
    const found = this.#tickets.get(ticket);
    this.#tickets.delete(ticket);
    return found !== undefined && found.until >= this.#surroundings.now() ? found : undefined;
  }
}
