/** What has the focus in the element's own tree: of a page, or of a shadow root. */
export const focusedAround = (element: Element | null): Element | null =>
  (element?.getRootNode() as Document | ShadowRoot | undefined)?.activeElement ?? null;
