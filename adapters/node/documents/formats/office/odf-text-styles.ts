/** Styles of text in OpenDocument files that raise it (OpenDocument 1.3 part 3, 20.398). */

type Attributes = Readonly<Record<string, string>>;

export class OdfTextStyles {
  readonly #raised = new Set<string>();
  /** The style of text that is open. */
  #style: string | undefined;

  /** Reads styles; other elements are ignored. */
  readStyle(name: string, attributes: Attributes): void {
    if (name === "style") {
      this.#style = attributes.family === "text" ? attributes.name : undefined;
      const parent = attributes["parent-style-name"];
      if (this.#style !== undefined && parent !== undefined && this.#raised.has(parent)) this.#raised.add(this.#style);
    } else if (name === "list-style") this.#style = undefined;
    else if (name === "text-properties" && this.#style !== undefined) {
      if (/^(?:super|[1-9])/.test(attributes["text-position"] ?? "")) this.#raised.add(this.#style);
    }
  }

  /** Whether text in a style is superscript. */
  isRaised(style: string | undefined): boolean {
    return style !== undefined && this.#raised.has(style);
  }
}
