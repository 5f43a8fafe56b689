// Plants a fault in the library's code as it is loaded: `node --import` this file, with PLANTED_FAULT naming one of planted-faults.ts. The text to replace must occur exactly once.
import { register } from 'node:module';
import { PLANTED_FAULTS } from './planted-faults.js';

const fault = PLANTED_FAULTS.find(({ name }) => name === process.env.PLANTED_FAULT);
if (fault !== undefined) {
  const library = new URL('../../../packages/patterns/', import.meta.url);
  const url = new URL(fault.file, library).href;
  register('./plant-hooks.js', import.meta.url, { data: { url, changes: fault.changes } });
}
