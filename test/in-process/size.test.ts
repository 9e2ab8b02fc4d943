import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";

const src = fileURLToPath(new URL("../../src/", import.meta.url));
const MOST = 8 * 1024;

/** Minified bytes of what only this entry needs: without the guard, and the frame in which all frameworks run it. */
async function ownBytes(entry: string): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [`${src}${entry}/${entry}.ts`],
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
    plugins: [
      {
        name: "own-code-alone",
        setup({ onResolve }) {
          onResolve({ filter: /.*/ }, ({ kind, path, importer }) => {
            const isOwn = path.startsWith(".") && resolve(dirname(importer), path).startsWith(`${src}${entry}/`);
            return kind === "entry-point" || isOwn ? undefined : { path, external: true };
          });
        },
      },
    ],
  });
  return outputFiles[0]?.contents.length ?? 0;
}

describe("a middleware's own code", () => {
  it.each(["ai-sdk", "langchain"])("of unloop/%s is less than 8 KiB over the guard", async (entry) => {
    const bytes = await ownBytes(entry);
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(MOST);
  });
});
