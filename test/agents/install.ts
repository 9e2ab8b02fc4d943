import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Out of the way of the repository's own packages: an agent weighs hundreds of megabytes. */
const folder = fileURLToPath(new URL("../../node_modules/.cache/unloop-agents", import.meta.url));

/** Installs an agent from npm, once. Without an executable where it cannot be had, which is told on standard error. */
export function installedAgent(name: string, version: string, path: string) {
  const root = join(folder, `${name.replaceAll("/", "+")}@${version}`);
  const executable = installed(root, join("node_modules", path), `${name}@${version}`, (wanted) => {
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, "package.json"), "{}");
    const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact", wanted];
    execFileSync("npm", args, { cwd: root, stdio: "ignore", timeout: 240_000 });
  });
  return { version, executable };
}

export function installedPythonAgent(name: string, version: string, command: string) {
  const root = join(folder, `${name}==${version}`);
  const executable = installed(root, join("bin", command), `${name}==${version}`, (wanted) => {
    execFileSync("python3", ["-m", "venv", root], { stdio: "ignore" });
    const args = ["install", "--quiet", "--no-input", wanted];
    execFileSync(join(root, "bin/pip"), args, { stdio: "ignore", timeout: 240_000 });
  });
  return { version, executable };
}

function installed(root: string, path: string, wanted: string, install: (wanted: string) => void): string | undefined {
  if (existsSync(join(root, "installed"))) return join(root, path);
  try {
    install(wanted);
    writeFileSync(join(root, "installed"), "");
    return join(root, path);
  } catch (error) {
    console.error(`${wanted} cannot be installed here, so it is not tested: ${String(error)}`);
    return undefined;
  }
}
