// Node does not guarantee V8's flags: each tested version must know those that are set.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { HEAP_FLAGS } from './tune-heap.js';

const LIMIT_MS = 120_000;

/** V8 reports collections with a delay. */
const printOnce = (condition: string): string =>
  `const look = () => (${condition} ? console.log(true) : setTimeout(look, 5)); look();`;

test('this version of Node knows the flags', () => {
  const start = (flags: readonly string[]) =>
    spawnSync(process.execPath, [...flags, '--eval', '0'], { encoding: 'utf8' });
  const { status, stderr } = start(HEAP_FLAGS);
  assert.deepEqual([status, stderr], [0, '']);
  for (const flag of HEAP_FLAGS) assert.notEqual(start([`${flag}x`]).stderr, '');
});

// A collection in progress when the flags change can crash the process, at times that no test can choose.
test('a full collection runs before the flags change', () => {
  const script = `
    import { constants, PerformanceObserver } from 'node:perf_hooks';
    import { tuneHeap } from ${JSON.stringify(new URL('./tune-heap.js', import.meta.url))};
    const kinds = [];
    const note = list => kinds.push(...list.getEntries().map(({ detail }) => detail.kind));
    new PerformanceObserver(note).observe({ entryTypes: ['gc'] });
    tuneHeap();
    ${printOnce('kinds.includes(constants.NODE_PERFORMANCE_GC_MAJOR)')}
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    timeout: LIMIT_MS,
  });
  assert.deepEqual([stdout, stderr], ['true\n', '']);
});

test('what streams leave behind is collected as young garbage', () => {
  const script = `
    import { constants, PerformanceObserver } from 'node:perf_hooks';
    import { tuneHeap } from ${JSON.stringify(new URL('./tune-heap.js', import.meta.url))};
    import { COLLECTED_EVERY_BYTES, noteStreamed } from '#base';
    tuneHeap();
    const kinds = [];
    const note = list => kinds.push(...list.getEntries().map(({ detail }) => detail.kind));
    new PerformanceObserver(note).observe({ entryTypes: ['gc'] });
    for (let count = 0; count < 3; count++) noteStreamed(COLLECTED_EVERY_BYTES);
    ${printOnce('kinds.filter(kind => kind === constants.NODE_PERFORMANCE_GC_MINOR).length >= 3')}
  `;
  const cwd = fileURLToPath(new URL('../../..', import.meta.url));
  const options = { encoding: 'utf8', timeout: LIMIT_MS, cwd } as const;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], options);
  assert.deepEqual([stdout, stderr], ['true\n', '']);
});
