import { describeDialect } from "../../contracts/dialect.ts";
import { agents } from "../../support/agents/dialect-agents.ts";

for (const agent of agents) describeDialect(agent, "reading");
