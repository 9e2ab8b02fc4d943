// A recorded conversation as one file: `unloop replay --format html`.
import { html, render, useState } from "./htm.js";
import { plural, Thread } from "./lane.js";

const conversations = [...document.querySelectorAll("script.conversation")].map((one) => JSON.parse(one.textContent));

function Report() {
  const [at, go] = useState(
    Math.max(
      0,
      conversations.findIndex(({ findings }) => findings.length > 0),
    ),
  );
  const conversation = conversations[at];
  const looping = conversations.filter(({ findings }) => findings.length > 0).length;
  return html`<header class="top">
      <strong class="brand">Unloop</strong>
      <span>${plural(conversations.length, "conversation")}, ${looping} with a loop</span>
    </header>
    <main>
      ${
        conversations.length > 1 &&
        html`<nav class="picker" aria-label="Conversations">
        <label>Conversation <select onChange=${(event) => go(Number(event.target.value))}>
          ${conversations.map(({ id, steps, findings }, i) => html`<option value=${i} selected=${i === at}>${id}: ${plural(steps.length, "step")}${findings.length > 0 ? `, ${plural(findings.length, "finding")}` : ""}</option>`)}
        </select></label>
      </nav>`
      }
      ${conversation === undefined ? html`<p>No conversation.</p>` : html`<${One} key=${at} conversation=${conversation} />`}
    </main>`;
}

function One({ conversation }) {
  const { id, task, steps, findings } = conversation;
  return html`<h1>${id}</h1>
    ${task !== "" && html`<details class="task"><summary>Task</summary><pre>${task}</pre></details>`}
    <${Thread} title="Steps" steps=${steps} findings=${findings} texts=${steps.map(({ text }) => text)} />`;
}

render(html`<${Report} />`, document.getElementById("app"));
