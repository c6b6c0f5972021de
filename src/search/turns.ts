/** When may work go on that nobody waits for, on the thread that answers questions? */

/** Milliseconds between two looks. */
const LOOK = 3;
/** Looks without a question after which it is believed that none follows at once: together as long as encoding one takes, or longer. */
const LULL = 4;
/** Looks after which a turn comes in any case: a turn takes some six milliseconds, so questions that never end leave it a quarter of the time. */
const PATIENCE = 6;

/** One counter for the questions, and one who works beside them. */
export class Turns {
  #asking = 0;
  #begun = 0;
  /** Questions that had begun when the turn before came. */
  #before = 0;

  /** A question begins. @returns to be called when it has ended */
  begin(): () => void {
    this.#asking++;
    this.#begun++;
    return () => {
      this.#asking--;
    };
  }

  /** Waits for a lull, or until patience is at an end; others have the thread in any case. */
  async next(): Promise<void> {
    await passed(0);
    let quiet = this.#asking === 0 && this.#begun === this.#before ? LULL : 0;
    for (let look = 0; look < PATIENCE && quiet < LULL; look++) {
      const begun = this.#begun;
      await passed(LOOK);
      quiet = this.#asking === 0 && this.#begun === begun ? quiet + 1 : 0;
    }
    this.#before = this.#begun;
  }
}

const passed = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
