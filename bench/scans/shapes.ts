// The rows that are scanned: of 200 bytes, and those of all other workloads.
import { loadedEntity, narrowEntity } from '../load/dataset.js';
import type { Part } from '../load/template.js';

export const SHAPES = ['narrow', 'wide'] as const;
export type Shape = (typeof SHAPES)[number];

export const entityOf = (shape: Shape): ((offset: number) => Part[]) =>
  shape === 'narrow' ? narrowEntity : loadedEntity;
