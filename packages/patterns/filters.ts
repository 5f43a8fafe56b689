// Texts of `$filter`, as `shelfmark-patterns/filters`: what any of them makes the service do, for logs, for reviews, and for programs that write filters by hand.
export { explainFilter, type FilterPlan } from './model/filter/explain-filter.js';
