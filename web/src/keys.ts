/** Keyboard shortcuts: "/" focuses the question, the arrow keys move between answers. */

export function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // While an input method composes a word, its keys choose among candidates.
  if (event.isComposing || document.querySelector("dialog[open]") !== null) return;
  const field = document.querySelector<HTMLInputElement>("#q");
  const { activeElement } = document;
  if (event.key === "/" && !(activeElement instanceof HTMLInputElement)) {
    event.preventDefault();
    field?.focus();
    field?.select();
  }
  if ((event.key !== "ArrowDown" && event.key !== "ArrowUp") || isInScrollable(activeElement)) return;
  const buttons = [...document.querySelectorAll<HTMLElement>(".answers > li > .row > .open, .answers > li > .open")];
  const at = buttons.findIndex((button) => button.closest("li")?.contains(activeElement));
  const next = at + (event.key === "ArrowDown" ? 1 : -1);
  const target = next < 0 ? field : buttons[next];
  if (
    target === undefined ||
    target === null ||
    (at === -1 && activeElement !== field && activeElement !== document.body)
  )
    return;
  event.preventDefault();
  target.focus();
  target.closest("li")?.scrollIntoView({ block: "nearest" });
}

/** Whether the arrow keys scroll the passage that has the focus. */
function isInScrollable(focused: Element | null): boolean {
  const passage = focused?.closest(".passage") ?? null;
  return passage !== null && passage.scrollHeight > passage.clientHeight;
}
