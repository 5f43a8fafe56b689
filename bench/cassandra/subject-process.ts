// A subject on a cluster as a process of its own, named by its arguments: it executes its parent's messages.
import { parsePlace } from '../../packages/store-cassandra/place.js';
import { reply } from '../load/ask-once.js';
import { EngineSubject } from './engine-subject.js';
import { RawSubject } from './raw-subject.js';
import type { Job, Subject } from './works.js';

const [kind = '', place = '', account = ''] = process.argv.slice(2);

function open(): Promise<Subject> {
  if (kind === 'engine') return EngineSubject.open(`cassandra:${place}`, account);
  const { hosts, keyspace } = parsePlace(place);
  return RawSubject.open(hosts, keyspace);
}

async function answer(subject: Subject, job: Job): Promise<object> {
  if ('create' in job) return subject.create(job);
  if ('look' in job) return subject.look(job);
  if ('queue' in job) return subject.queue(job.queue);
  if ('fill' in job) {
    await subject.fill(job);
    return {};
  }
  if ('end' in job) {
    await subject.end();
    return {};
  }
  const start = performance.now();
  const done = await subject.work(job);
  return { ...done, milliseconds: performance.now() - start };
}

const subject = await open();
process.on('message', message => {
  reply(answer(subject, message as Job));
});
process.once('SIGTERM', () => {
  subject.close().finally(() => process.exit(0));
});
process.stdout.write(`${kind} is ready\n`);
