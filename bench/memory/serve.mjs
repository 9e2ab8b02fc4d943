// The server as `unloop serve` starts it, but for how many steps of live threads it remembers: no setting says that.
// Arguments: how many steps.
import { readSettings, serve } from "../../dist/node.js";

const settings = readSettings(process.env);
await serve({ ...settings, threadCacheSteps: Number(process.argv[2]) });
process.once("SIGTERM", () => process.exit());
