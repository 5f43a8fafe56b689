// The operations port: `/healthz`, `/readyz` and `/metrics`, without authentication and apart from the service,
// where the same paths name accounts (`healthz` is a valid account name). Its caller supplies the data.
import type { WireRequest, WireResponse } from '#base';
import { type Listener, listen } from '#http';
import type { MetricFamily } from './metric-family.js';
import { formatMetrics, METRICS_TYPE } from './metric-family.js';

export interface OperationsOptions {
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** 0 takes a free one. */
  readonly port: number;
}

/** The data that the port serves, read at each request. */
export interface OperationsView {
  /** Why requests should not be sent here now; undefined if they may. */
  unreadiness(): Promise<string | undefined> | string | undefined;
  families(): Promise<readonly MetricFamily[]> | readonly MetricFamily[];
}

const HOST_DEFAULT = '127.0.0.1';

function answer(status: number, text: string, more: WireResponse['headers'] = []): WireResponse {
  return {
    status,
    headers: [
      ['Content-Type', 'text/plain; charset=utf-8'],
      ['Cache-Control', 'no-store'],
      ['Content-Length', String(Buffer.byteLength(text))],
      ...more,
    ],
    body: text,
  };
}

async function metrics(view: OperationsView): Promise<WireResponse> {
  const text = formatMetrics(await view.families());
  const response = answer(200, text);
  return { ...response, headers: [['Content-Type', METRICS_TYPE], ...response.headers.slice(1)] };
}

async function respond({ method, target }: WireRequest, view: OperationsView): Promise<WireResponse> {
  const [path] = target.split('?', 1);
  if (path !== '/healthz' && path !== '/readyz' && path !== '/metrics')
    return answer(404, 'Only /healthz, /readyz and /metrics are here.\n');
  if (method !== 'GET' && method !== 'HEAD')
    return answer(405, 'Only GET and HEAD.\n', [['Allow', 'GET, HEAD']]);
  if (path === '/metrics') return metrics(view);
  const unready = path === '/readyz' ? await view.unreadiness() : undefined;
  return unready === undefined ? answer(200, 'ok\n') : answer(503, `not ready: ${unready}\n`);
}

/** @throws the system's error where the address cannot be had. */
export const openOperationsPort = (
  { host = HOST_DEFAULT, port }: OperationsOptions,
  view: OperationsView,
): Promise<Listener> => listen({ host, port }, request => respond(request, view));
