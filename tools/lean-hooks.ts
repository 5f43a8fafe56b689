// Keeps node:test from following every promise: its hook on all asynchronous resources, which attributes unhandled
// errors to tests, costs a fifth of the processor time of tests that send many requests. Tests themselves are followed
// as before, so that they nest; an unhandled error fails the file instead of the test. Loaded by run-tests.ts before
// the test file, on Node 20 only.
import hooks from 'node:async_hooks';
import { isMainThread } from 'node:worker_threads';

type Init = NonNullable<hooks.HookCallbacks['init']>;

/** Replaces `createHook` and `AsyncResource` for node:test while it is loaded. */
async function loadTestRunner(): Promise<void> {
  const { createHook, AsyncResource } = hooks;
  let init: Init | undefined;
  const unused: hooks.AsyncHook = { enable: () => unused, disable: () => unused };
  Object.assign(hooks, {
    createHook(callbacks: hooks.HookCallbacks): hooks.AsyncHook {
      init = callbacks.init;
      return unused;
    },
    AsyncResource: class extends AsyncResource {
      constructor(type: string, options?: hooks.AsyncResourceOptions) {
        super(type, options);
        init?.(this.asyncId(), type, this.triggerAsyncId(), this);
      }
    },
  });
  await import('node:test');
  Object.assign(hooks, { createHook, AsyncResource });
}

// The internals of later versions were not examined. Threads that tests start contain no tests.
if (isMainThread && process.versions.node.startsWith('20.')) await loadTestRunner();
// Processes that tests fork get the server's options and not those of tests.
const own = process.execArgv.indexOf(import.meta.url);
if (own > 0) process.execArgv.splice(own - 1, 2);
