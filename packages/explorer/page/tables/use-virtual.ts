// TanStack Virtual's core for Preact: which rows or columns it draws.
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

interface Shape extends Pick<Options, 'count' | 'estimateSize' | 'overscan' | 'horizontal'> {
  /** Space before the first, which stays in place. */
  readonly paddingStart: number;
}

export function useVirtual(
  scroller: RefObject<HTMLElement | null>,
  shape: Shape,
): Virtualizer<HTMLElement, HTMLElement> {
  const [, draw] = useReducer((count: number, _: undefined) => count + 1, 0);
  const options: Options = {
    ...shape,
    scrollPaddingStart: shape.paddingStart,
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
