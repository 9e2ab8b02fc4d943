/** Of what stands there, the end is compared: so many characters. */
export const MOST_SHOWN = 4_000;

const SENTENCE_END = /(?<=[.!?…]["'”’)\]]?)\s+|(?<=[。！？])|\n+/u;

export type ContinuedText = ReturnType<typeof continuedText>;

/** What a second answer says behind words that its reader has, without the sentences that stand there. @param shown those words */
export function continuedText(shown: string) {
  const sentences = shown.split(SENTENCE_END).flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
  let waiting = "";
  let isNew = sentences.length === 0;

  function release(): string {
    const gap = shown.endsWith("\n\n") ? "" : shown.endsWith("\n") ? "\n" : "\n\n";
    const text = gap + waiting;
    isNew = true;
    waiting = "";
    return text;
  }

  /** The text from its first sentence on that does not stand there. */
  function withoutSaid(text: string): string {
    const said = sentences.find((one) => text.length > one.length && text.startsWith(one) && endsAt(text, one.length));
    return said === undefined ? text : withoutSaid(text.slice(said.length).trimStart());
  }

  return {
    /** What may be said now of a text that goes on with this; what may turn out to be said again waits. */
    add(text: string): string {
      if (isNew) return text;
      waiting = withoutSaid((waiting + text).trimStart());
      return sentences.some((one) => one.startsWith(waiting)) ? "" : release();
    },
    end(): string {
      if (isNew || waiting === "") return "";
      if (!sentences.includes(waiting.trimEnd())) return release();
      waiting = "";
      return "";
    },
    isWaiting: () => !isNew,
  };
}

const endsAt = (text: string, at: number): boolean => /^(?:[。！？]|.\s)/su.test(text.slice(at - 1, at + 1));
