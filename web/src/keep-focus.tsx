/** Whoever stands on an answer by keyboard is not thrown off the list when a better one takes its place. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { focusedAround } from "./focus.js";

/** A list that had the focus went away: the next one takes it. Both happen in one turn. */
let wasFocused = false;

export function KeepFocus({ children }: { children: ComponentChildren }) {
  const root = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = root.current;
    if (wasFocused) box?.querySelector<HTMLElement>(".open")?.focus();
    wasFocused = false;
    return () => {
      wasFocused = box?.contains(focusedAround(box)) ?? false;
    };
  }, []);
  return <div ref={root}>{children}</div>;
}
