import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { expect, it } from "vitest";

const src = fileURLToPath(new URL("../../src/", import.meta.url));

/** Of a minified bundle. */
async function bytesOf(options: BuildOptions): Promise<number> {
  const common = { bundle: true, minify: true, format: "esm", platform: "node" } as const;
  const { outputFiles } = await build({ ...common, ...options, write: false });
  return outputFiles[0]?.contents.length ?? 0;
}

/** Of a program that imports one name. Ratchets, in KB: lowered freely, raised only for a reason that a reviewer sees. */
it.each([
  { name: "UnloopError", entry: "index.ts", most: 4 },
  // Stored records are read by their shapes.
  { name: "memoryStores", entry: "index.ts", most: 11.9 },
  // A policy may reword any sentence, and all languages of one stand in one table.
  { name: "policyFrom", entry: "engine-api.ts", most: 116 },
  { name: "watchRun", entry: "engine-api.ts", most: 206 },
  { name: "unloop", entry: "index.ts", most: 600 },
])("a bundle of $name alone has at most $most KB", async ({ name, entry, most }) => {
  const contents = `import { ${name} } from "./${entry}"; console.log(${name});`;
  expect((await bytesOf({ stdin: { contents, resolveDir: src, loader: "ts" } })) / 1_000).toBeLessThanOrEqual(most);
});

it.each(["ai-sdk", "langchain"])(
  "unloop/%s has less than 8 KiB of its own, over what all frameworks share",
  async (entry) => {
    const isOwn = (path: string) => path.startsWith(`${src}${entry}/`);
    const bytes = await bytesOf({
      entryPoints: [`${src}${entry}/${entry}.ts`],
      plugins: [
        {
          name: "own-code-alone",
          setup({ onResolve }) {
            onResolve({ filter: /.*/ }, ({ kind, path, importer }) => {
              const isInside = path.startsWith(".") && isOwn(resolve(dirname(importer), path));
              return kind === "entry-point" || isInside ? undefined : { path, external: true };
            });
          },
        },
      ],
    });
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(8 * 1024);
  },
);
