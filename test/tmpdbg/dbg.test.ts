import { it } from "vitest";
import { guardRig, post, standard, storesWith } from "../proxy/guard-rig.ts";
import { runDialect } from "../support/dialect-agent.ts";
import { agents } from "../support/dialect-agents.ts";
import { looping } from "../support/dialect-scripts.ts";
it("dbg", async () => {
  for (const agent of agents) {
    const down = () => Promise.reject(new Error("down"));
    const rig0 = await guardRig(looping(agent, false), {
      policy: standard(),
      stores: storesWith({ read: down, write: down }),
    });
    try {
      console.log(agent.name, "STORE DOWN", (await runDialect(rig0, agent)).verdicts.join(" "));
    } catch (e) {
      console.log(agent.name, String(e));
    }
    const rig = await guardRig(looping(agent, false), { policy: standard() });
    try {
      const { next, verdicts } = await runDialect(rig, agent);
      const r = [];
      for (let i = 0; i < 3; i++) r.push((await post(rig.url, next)).headers.get("x-unloop-verdict"));
      console.log(
        agent.name,
        "AFTER",
        verdicts.join(" "),
        "|",
        r.join(" "),
        JSON.stringify(JSON.parse(next).messages.slice(-2)).slice(0, 400),
      );
    } catch (e) {
      console.log(agent.name, String(e));
    }
  }
});
