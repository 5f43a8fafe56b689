// Tickets for downloads: a browser saves a large blob to disk only when it navigates to it, and navigations carry no
// proof of the page. The page fetches a ticket with its proof; the ticket works once, for a short time.
import type { Surroundings } from './sessions.js';

export interface Download {
  /** As the page would fetch it: `/accounts/NAME/blob/…`. */
  readonly path: string;
  /** The name of the file. */
  readonly name: string;
}

const TICKET_BYTES = 24;
const LIFETIME_MILLISECONDS = 60_000;
const TICKETS_MAX = 100;

export class Downloads {
  readonly #surroundings: Surroundings;
  readonly #tickets = new Map<string, Download & { readonly until: number }>();

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  add(download: Download): string {
    const ticket = this.#surroundings.randomBytes(TICKET_BYTES).toString('base64url');
    const [oldest] = this.#tickets.keys();
    if (this.#tickets.size >= TICKETS_MAX && oldest !== undefined) this.#tickets.delete(oldest);
    this.#tickets.set(ticket, { ...download, until: this.#surroundings.now() + LIFETIME_MILLISECONDS });
    return ticket;
  }

  take(ticket: string): Download | undefined {
    const found = this.#tickets.get(ticket);
    this.#tickets.delete(ticket);
    return found !== undefined && found.until >= this.#surroundings.now() ? found : undefined;
  }
}
