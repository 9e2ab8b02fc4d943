/** Every sentence that a model or a person is shown, by name. `{…}` are the places listed in `sentences.ts`. */
export const englishSentences = {
  and: " and ",

  "seen:call": "You have made the same call {count} times with the same outcome: {calls}.",
  "seen:any-call": "You have made the same call {count} times: {calls}.",
  "seen:index": "Action '{tool}' on index {index} was repeated {count} times without success: {calls}.",
  "seen:foreseen": "You were about to do the same again, which would be time number {count}: {calls}.",
  "seen:failure": "{count} attempts of this kind have failed: {calls}.",
  "seen:failures": "You have failed {count} times in a row, the last time with {calls}.",
  "seen:cycle":
    "You are going round in a circle: {count} laps of the same calls with the same outcomes, the last of them {calls}.",
  "seen:answer": "{count} different calls have brought the same answer, the last of them {calls}.",
  "seen:poll": "You have looked {count} times and nothing has changed: {calls}.",
  "seen:message": "You have sent the same message, or announced without acting, {count} times.",
  "seen:similar": "You have sent {count} similar messages in a row.",
  "seen:heard": "You have been told much the same {count} times in a row.",
  "seen:exchange": "Both sides have said the same again for {count} rounds.",
  "seen:explanation": "You have given the same explanation for {count} turns in a row, the last time for {calls}.",
  "seen:no-call": "You have talked for {count} turns without a tool call.",
  "seen:closure": "Both sides have done nothing but say goodbye for {count} rounds.",
  "seen:steps": "This run has taken {count} of its {limit} steps.",
  "seen:tokens": "This run has used {count} of its {limit} tokens.",
  "seen:cost": "This run has used {count} of the {limit} that it may cost.",
  "seen:seconds": "This run has gone on for {count} of its {limit} seconds.",
  "seen:retries": "The same request came {count} times within {seconds} seconds, though its history had not grown.",
  "seen:novelty": "{count} of your last calls brought back what you knew already, the last of them {calls}.",
  "seen:circles": "Your last steps go in circles and bring nothing new, the last of them {calls}.",
  "seen:circles-of-talk": "Your last messages go in circles: they say again what was said.",
  "seen:agents": "You have started {count} sub-agents, more of them at every turn.",
  "seen:compactions": "The history has been compacted {count} times in a row, and nothing was changed in between.",
  "seen:met": "The goal is reached: the state was judged at {after} of 10.",
  "seen:no-nearer":
    "{calls} has not brought you nearer to the goal (judged {before} before, {after} of 10 now), but not everything has been tried from there.",
  "seen:exhausted":
    "{calls} has not brought you nearer to the goal (judged {before} before, {after} of 10 now), and everything has been tried from there.",
  "seen:same-state": "The same state has come {count} times.",
  "seen:farther": "You have moved away from the goal {count} times in a row; it was judged at {after} of 10 last.",
  "seen:plan-steps": "This plan has taken {count} actions without reaching the goal.",
  "seen:unreachable": "The goal cannot be reached from here.",

  "advice:call":
    "Doing it again will not bring anything new. Use the result you have for the next step, or take a different approach.",
  "advice:failure":
    "Trying the same again will fail again. Read the error and change what it names, or reach the goal by another way.",
  "advice:cycle":
    "Another lap will end where this one did. Decide with what you have seen, or do something you have not tried yet.",
  "advice:answer": "More variations are unlikely to change it. Take the answer as it is, or look in a different place.",
  "advice:poll-longer":
    "Wait in the call itself: give {argument} a larger value, such as {value}, or go on with something that does not depend on it.",
  "advice:poll": "Wait considerably longer before you look again, or go on with something that does not depend on it.",
  "advice:message": "Act on it now with a tool call, or give your final answer.",
  "advice:closure": "End the conversation now, or say what is still missing.",
  "advice:steps": "Come to an end soon: do only what matters most, or finish with what you have.",
  "advice:retries": "Asking the same again will not help: wait, change what is asked, or finish with what you have.",
  "advice:novelty": "Write down what you know, then act on it, or look at something you have not seen.",
  "advice:agents": "Start no more of them: read what they have brought, or do what is left yourself.",
  "advice:compactions":
    "Change something now with what you know, in small steps and with short outputs, or finish with what you have.",
  "advice:fallback": "Do this instead: {fallback}.",
  "advice:option": "Stay with it and try this next: {option}.",
  "advice:options": "Stay with it and try something there that you have not tried, or decide that nothing is left.",
  "advice:revert": "Then take another way from there.",
  "undo:checkbox": "Undo it: click the same place once more, so that it is toggled back.",
  "undo:dialog": 'Undo it: click "Cancel" or "Close" in the dialog.',
  "undo:text": "Undo it: clear the field (Ctrl+A, Delete).",
  "undo:menu": "Undo it: press Escape, or click elsewhere, so that the menu closes.",
  "undo:window": "Undo it: close the window (its X, or Alt+F4).",
  "undo:other":
    "Undo it: there is no standard way, so compare the state now with the one before it, and find the way back.",

  came: "It came back (quoted): {outcome}.",
  intended: "If this is intended, carry on.",
  "answer-now": "Tools are no longer available. Give your final answer now.",
  "call-now":
    'No tool but "{doneTool}" is available any more: it is your only tool, and none of the others that you see in the history or in examples can be called. Call it now. If the task is not fully finished as it was asked for, say so (success=false where it asks), else success=true.',
  terminated: "Therefore we terminate the agent.",
  include: "Include everything you have found out so far, and say what is missing and why.",
  tried: "Tried: {tried}.",
  undone: "Undone again: {undone}.",
  why: "Why it does not lead to the goal: {reason}.",
  success:
    "Report that it is done (success=true where it asks), with the result. If you know that something is missing, say so instead.",
  cancelled: "The plan is given up: report that it is not done (success=false where it asks).",
  task: "The task was: {task}",
  stopped: "This run was stopped because it was going in circles.",
  closed: "This conversation is complete. Goodbye!",
  "stopped:talk": "This conversation has come to its end: nothing new was being said. A new message will let it go on.",
  "stopped:budget": "This run was stopped because its budget is used up.",
  "stopped:plan": "This plan was cancelled because it does not lead to the goal.",
  "stopped:operator": "This run was stopped by an operator. Reason: {reason}",
  "recover:budget": "The task may be unfinished. It can go on in a new session, or with a larger budget.",
  recover: "The task may be unfinished. A new instruction will let it go on.",
  "nothing-new": "I've completed processing but have no new response to give.",
};

export type SentenceName = keyof typeof englishSentences;
export type Sentences = Readonly<Record<SentenceName, string>>;
