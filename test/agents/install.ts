import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Out of the way of the repository's own packages: an agent weighs hundreds of megabytes. */
const folder = fileURLToPath(new URL("../../node_modules/.cache/unloop-agents", import.meta.url));

/**
 * Installs an agent from npm, once. Gives the folder that its packages are in; undefined where it cannot be had, which is told on
 * standard error.
 */
export function installedAgent(name: string, version: string): string | undefined {
  const root = join(folder, `${name.replaceAll("/", "+")}@${version}`);
  const packages = join(root, "node_modules");
  if (existsSync(join(root, "installed"))) return packages;
  try {
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, "package.json"), "{}");
    const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", `${name}@${version}`];
    execFileSync("npm", args, { cwd: root, stdio: "ignore", timeout: 240_000 });
    writeFileSync(join(root, "installed"), "");
    return packages;
  } catch (error) {
    console.error(`${name}@${version} cannot be installed here, so it is not tested: ${String(error)}`);
    return undefined;
  }
}

/** The same from PyPI, for one of Python's versions. Gives the program that is called `command`. */
export function installedPythonAgent(
  name: string,
  version: string,
  command: string,
  python = "python3",
): string | undefined {
  const root = join(folder, `${name}==${version}`);
  const program = join(root, "bin", command);
  if (existsSync(join(root, "installed"))) return program;
  try {
    execFileSync(python, ["-m", "venv", root], { stdio: "ignore" });
    const args = ["install", "--quiet", "--no-input", `${name}==${version}`];
    execFileSync(join(root, "bin/pip"), args, { stdio: "ignore", timeout: 240_000 });
    writeFileSync(join(root, "installed"), "");
    return program;
  } catch (error) {
    console.error(`${name}==${version} cannot be installed here, so it is not tested: ${String(error)}`);
    return undefined;
  }
}
