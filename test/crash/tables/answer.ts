// The result of a write from its answer: applied, with its ETags, or refused.
import type { Reply } from '../../support/worker-processes.js';
import { tickOf } from '../tick.js';
import { type Change, pathOf } from './request.js';

/** The ticks of the rows written; a text where it is no acknowledgement. */
export function acknowledgedTicks(changes: readonly Change[], reply: Reply): Map<string, bigint> | string {
  const text = `${reply.status} ${reply.body}`;
  if (changes.length === 1) {
    if (reply.status !== 204) return text;
    return ticksOf(changes, [reply.headers.etag]);
  }
  const statuses = [...reply.body.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status);
  if (reply.status !== 202 || statuses.length !== changes.length) return text;
  if (statuses.some(status => status !== '204')) return text;
  const etags = [...reply.body.matchAll(/^etag: (\S+)/gim)].map(([, etag]) => etag);
  const written = changes.filter(({ method }) => method !== 'DELETE');
  return etags.length === written.length ? ticksOf(written, etags) : `ETags are missing: ${text}`;
}

function ticksOf(changes: readonly Change[], etags: readonly unknown[]): Map<string, bigint> {
  const ticks = new Map<string, bigint>();
  changes.forEach(({ method, name }, index) => {
    if (method !== 'DELETE') ticks.set(pathOf(name), tickOf(etags[index]));
  });
  return ticks;
}
