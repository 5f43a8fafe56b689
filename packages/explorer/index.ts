// The explorer: a page over the tables, queues and blobs of any account, and the small server behind it. Start with
// server/open-explorer.ts; model/ is what page and tests share, without DOM and without Node; page/ runs in the browser.
export {
  type Explorer,
  type ExplorerOptions,
  ExplorerRefused,
  openExplorer,
} from './server/open-explorer.js';
export { SITE_DIRECTORY } from './server/site.js';
