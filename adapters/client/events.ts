/** Parses server-sent events (HTML Standard §9.2.6) from the chunks of a response. */

interface ServerEvent {
  /** Default "message". */
  event: string;
  data: string;
}

export async function* eventsOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<ServerEvent, void> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      // A line ends with CR LF, LF or CR; a CR at the end of a chunk may be the first half of CR
      // LF.
      const whole = rest.endsWith("\r") && !done ? rest.length - 1 : rest.length;
      const blocks = rest.slice(0, whole).replace(/\r\n?/g, "\n").split("\n\n");
      rest = (blocks.pop() ?? "") + rest.slice(whole);
      for (const block of blocks) {
        const event = parsed(block);
        if (event !== undefined) yield event;
      }
      if (done) return; // an event without an empty line at its end is incomplete
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function parsed(block: string): ServerEvent | undefined {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const [, field = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
  }
  return data.length === 0 ? undefined : { event, data: data.join("\n") };
}
