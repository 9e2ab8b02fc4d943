import { describe, expect, it } from "vitest";
import { readPageFile } from "../../src/page/files.ts";
import { reportParts } from "../../src/page/page.ts";

const hostile = `</script><script>globalThis.ran = true</script><!--<img src=x onerror="globalThis.ran = true">`;
const conversation = { id: hostile, task: hostile, steps: [], findings: [] };

describe("a report", () => {
  it("holds any text as data that cannot end its element", async () => {
    const { begin, piece, end } = await reportParts(readPageFile, hostile);
    const text = piece(conversation);
    expect(text.match(/<\/?\w+|<!--/g)).toEqual(["<script", "</script"]);
    expect(JSON.parse(/>(.*)</s.exec(text)?.[1] ?? "")).toEqual(conversation);
    expect(begin).not.toContain(hostile);
    expect(begin).toContain("<title>&lt;/script&gt;");
    expect(end.match(/<\/script/g)).toHaveLength(1);
  });

  it("loads nothing and runs its own script alone", async () => {
    const { begin, end } = await reportParts(readPageFile, "x");
    expect(begin).toMatch(/default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'/);
    expect(begin + end).not.toMatch(/\s(?:src|href)=["']?(?!\$)\w+:/);
    expect(end).not.toMatch(/^(?:import|export) /m);
  });
});
