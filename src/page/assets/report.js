// A recorded conversation as one file: `unloop replay --format html`.
import { html, render, useState } from "./htm.js";
import { plural, Thread } from "./lane.js";

const conversations = [...document.querySelectorAll("script.conversation")].map((one) => JSON.parse(one.textContent));

/** All beside one another, or one at a time. */
const areSides = document.getElementById("app").dataset.layout === "sides";

function Report() {
  const looping = conversations.filter(({ findings }) => findings.length > 0).length;
  return html`<header class="top">
      <strong class="brand">Unloop</strong>
      <span>${plural(conversations.length, "conversation")}, ${looping} with a loop</span>
    </header>
    <main>${areSides ? html`<${Sides} />` : html`<${Picked} />`}</main>`;
}

function Sides() {
  return html`<div class="sides">
    ${conversations.map((conversation) => html`<div><${One} conversation=${conversation} /></div>`)}
  </div>`;
}

function Picked() {
  const firstLoop = conversations.findIndex(({ findings }) => findings.length > 0);
  const [at, go] = useState(Math.max(0, firstLoop));
  if (conversations.length === 0) return html`<p>No conversation.</p>`;
  const told = ({ id, steps, findings }) =>
    [
      `${id}: ${plural(steps.length, "step")}`,
      ...(findings.length > 0 ? [plural(findings.length, "finding")] : []),
    ].join(", ");
  const options = conversations.map((one, i) => html`<option value=${i} selected=${i === at}>${told(one)}</option>`);
  const picker = html`<nav aria-label="Conversations">
    <label>Conversation <select onChange=${(event) => go(Number(event.target.value))}>${options}</select></label>
  </nav>`;
  return html`${options.length > 1 && picker}<${One} key=${at} conversation=${conversations[at]} />`;
}

function One({ conversation }) {
  const { id, task, steps, findings } = conversation;
  return html`<h1>${id}</h1>
    ${task !== "" && html`<details class="task"><summary>Task</summary><pre>${task}</pre></details>`}
    <${Thread} title="Steps" steps=${steps} findings=${findings} texts=${steps.map(({ text }) => text)} />`;
}

render(html`<${Report} />`, document.getElementById("app"));
