// TanStack Virtual's core for Preact: which rows or columns are to be drawn.
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useState } from 'preact/hooks';

type Options = VirtualizerOptions<HTMLElement, HTMLElement>;

interface VirtualProps {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly count: number;
  readonly sizeOf: (index: number) => number;
  readonly overscan: number;
  readonly horizontal?: boolean;
  /** Space before the first, which stays in place. */
  readonly padding?: number;
}

export function useVirtual(props: VirtualProps): Virtualizer<HTMLElement, HTMLElement> {
  const [, draw] = useReducer((count: number, _: undefined) => count + 1, 0);
  const { scroller, count, sizeOf, overscan, horizontal = false, padding = 0 } = props;
  const options: Options = {
    count,
    estimateSize: sizeOf,
    overscan,
    horizontal,
    scrollPaddingStart: padding,
    paddingStart: padding,
    getScrollElement: () => scroller.current,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => draw(undefined),
  };
  const [virtualizer] = useState(() => new Virtualizer<HTMLElement, HTMLElement>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}
