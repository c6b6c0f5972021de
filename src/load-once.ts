/** A value that is loaded when it is first needed, and kept. */
export class LoadOnce<T> {
  readonly #load: () => Promise<T>;
  #value: Promise<T> | undefined;

  /** @param load  called by the first `get`, and again by the next one if it failed */
  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  /** @throws what loading throws */
  get(): Promise<T> {
    if (this.#value !== undefined) return this.#value;
    const value = this.#load();
    this.#value = value;
    value.catch(() => {
      if (this.#value === value) this.#value = undefined;
    });
    return value;
  }

  /** Removes the value. @returns the value; undefined if it was not loaded, or could not be */
  async take(): Promise<T | undefined> {
    const value = this.#value;
    this.#value = undefined;
    return value?.catch(() => undefined);
  }
}
