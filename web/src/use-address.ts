/**
 * The page's question and opened document, kept in step with the address: a link reproduces them, and
 * Back and Forward move between them.
 */

import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { forgetAll, linkTo, type Opened, pastQuestions, readAddress, remember } from "./address.js";
import { onKey } from "./keys.js";
import type { Transport } from "./transport.js";
import { useAsking } from "./use-asking.js";

/**
 * @param page.folder  path of the site's folder, or of the server
 * @param page.field  gets the focus first, unless the address opens a document
 */
export function useAddress(
  transport: Transport,
  page: { title: string; folder: string; field: RefObject<HTMLInputElement | null> },
) {
  const { title, folder, field } = page;
  const first = useRef(readAddress()).current;
  const [typed, setTyped] = useState(first.question);
  const [asked, setAsked] = useState(first.question);
  const [opened, setOpened] = useState<Opened | undefined>(first.opened);
  const [past, setPast] = useState(() => pastQuestions(folder));
  const asking = useAsking(transport);

  const run = async (question: string): Promise<void> => {
    setAsked(question);
    document.title = question.trim() === "" ? title : `${question} · ${title}`;
    if (await asking.run(question)) {
      remember(question, folder);
      setPast(pastQuestions(folder));
    }
  };
  const submit = (question: string): void => {
    setTyped(question);
    history.pushState(null, "", linkTo({ question, opened: undefined }));
    void run(question);
  };
  const open = (place: Opened | undefined): void => {
    setOpened(place);
    history.pushState(null, "", linkTo({ question: asked, opened: place }));
  };
  /** Repeats the question. */
  const again = (): void => {
    if (asked !== "") void run(asked);
  };
  const clearPast = (): void => {
    forgetAll(folder);
    setPast([]);
  };

  useEffect(() => {
    if (first.opened === undefined) field.current?.focus();
    if (first.question !== "") void run(first.question);
    const onBack = (): void => {
      const address = readAddress();
      setOpened(address.opened);
      setTyped(address.question);
      setAsked((shown) => {
        if (shown !== address.question) void run(address.question);
        return address.question;
      });
    };
    addEventListener("popstate", onBack);
    addEventListener("keydown", onKey);
    return () => {
      removeEventListener("popstate", onBack);
      removeEventListener("keydown", onKey);
    };
  }, []);

  return { asking, typed, setTyped, asked, opened, past, submit, open, again, clearPast };
}
