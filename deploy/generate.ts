import { writeFileSync } from "node:fs";
import { deployFiles } from "./files.ts";

// Writes the dashboard and the alert rules anew.
for (const [path, text] of Object.entries(deployFiles())) writeFileSync(new URL(`../${path}`, import.meta.url), text);
