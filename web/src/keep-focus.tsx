/** Keeps keyboard focus in the list when better answers replace the focused one. */

import { type ComponentChildren, Fragment } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** The focused element in the same tree as `element`: the document or a shadow root. */
export const focusedAround = (element: Element | null): Element | null =>
  (element?.getRootNode() as Document | ShadowRoot | undefined)?.activeElement ?? null;

/** @param list  names the list; another one replaces its elements, undefined shows none */
export function KeepFocus({ list, children }: { list: string | undefined; children: ComponentChildren }) {
  const root = useRef<HTMLDivElement>(null);
  // Read before the elements are replaced, which takes the focus from them.
  const hadFocus = root.current?.contains(focusedAround(root.current)) ?? false;
  useLayoutEffect(() => {
    if (hadFocus) root.current?.querySelector<HTMLElement>(".open")?.focus();
  }, [list]);
  return (
    <div ref={root}>
      <Fragment key={list}>{children}</Fragment>
    </div>
  );
}
