// `lmdb:DIR`: registers the engine under its address scheme.
import { resolve } from 'node:path';
import type { EngineKind } from '#store';
import { lmdbTools } from './check/tools.js';
import { openLmdbStore } from './lmdb-store.js';

export const lmdbEngine: EngineKind = {
  scheme: 'lmdb',
  placeName: 'DIR',
  open: (place, options) => openLmdbStore({ ...options, directory: resolve(place) }),
  tools: lmdbTools,
};
