/** Keeps keyboard focus in the list when better answers replace the focused one. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { focusedAround } from "./focus.js";

/**
 * True between the removal of a list that had the focus and the mount of the next one; both happen
 * in one render.
 */
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
