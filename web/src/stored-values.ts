/**
 * Values that the browser keeps. If the visitor has blocked storage, even reading it throws: then
 * values last until the page is left.
 */
class StoredValues {
  readonly #storage: () => Storage;
  /** What could not be stored. */
  readonly #unstored = new Map<string, string>();

  constructor(storage: () => Storage) {
    this.#storage = storage;
  }

  get(key: string): string | null {
    const unstored = this.#unstored.get(key);
    if (unstored !== undefined) return unstored;
    try {
      return this.#storage().getItem(key);
    } catch {
      return null;
    }
  }

  set(key: string, value: string): void {
    try {
      this.#storage().setItem(key, value);
      this.#unstored.delete(key);
    } catch {
      this.#unstored.set(key, value);
    }
  }

  remove(key: string): void {
    this.#unstored.delete(key);
    try {
      this.#storage().removeItem(key);
    } catch {}
  }
}

/** Kept between visits. */
export const storedValues = new StoredValues(() => localStorage);
/** Kept until the tab is closed. */
export const valuesOfTab = new StoredValues(() => sessionStorage);
