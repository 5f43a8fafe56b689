// Metrics of this process from the system and node, under the names that Prometheus' own clients use.
import { performance } from 'node:perf_hooks';
import { counter, gauge, type MetricFamily } from './metric-family.js';

export function processFamilies(): readonly MetricFamily[] {
  const { rss, heapUsed, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const { active } = performance.eventLoopUtilization();
  return [
    gauge({ name: 'shelfmark_processes', help: 'Processes that these numbers are of.' }, 1),
    gauge(
      { name: 'process_resident_memory_bytes', help: 'Memory that is in RAM, of the data file too.' },
      rss,
    ),
    gauge({ name: 'nodejs_heap_size_used_bytes', help: 'JavaScript objects.' }, heapUsed),
    gauge(
      { name: 'nodejs_external_memory_bytes', help: 'Memory of buffers, outside of the heap.' },
      external,
    ),
    counter({ name: 'process_cpu_seconds_total', help: 'Processor time.' }, (user + system) / 1e6),
    counter(
      {
        name: 'shelfmark_event_loop_busy_seconds_total',
        help: 'Time in which the event loop did not wait; a second a second is all that a process can do.',
      },
      active / 1000,
    ),
    gauge(
      {
        name: 'process_start_time_seconds',
        help: 'When the oldest process started, in seconds since 1970.',
        aggregate: 'min',
      },
      performance.timeOrigin / 1000,
    ),
  ];
}
