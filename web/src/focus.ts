/** The focused element in the same tree as `element`: the document or a shadow root. */
export const focusedAround = (element: Element | null): Element | null =>
  (element?.getRootNode() as Document | ShadowRoot | undefined)?.activeElement ?? null;
