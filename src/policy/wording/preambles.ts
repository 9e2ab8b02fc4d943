import type { Language } from "./language.ts";

/** For agents that act on pages: look at what was done before acting. */
export const actedAlready: Readonly<Record<Language, string>> = {
  en: [
    "Before every action, check the conversation history in detail and establish:",
    "- the actions already done: what was entered into which element, which buttons were clicked, which pages were opened;",
    "- the fields already filled in, and with which values;",
    "- the stage that the task has reached.",
    "Never repeat the same action on the same element with the same value. If it has been done already, go on to the next step.",
  ].join("\n"),
  ja: [
    "アクションを実行する前に、必ず会話履歴を詳細に確認し、次の点を把握してください。",
    "- 実行済みのアクション: どの要素に何を入力したか、どのボタンをクリックしたか、どのページに遷移したか",
    "- 入力済みのフィールドとその値",
    "- タスクがどの段階まで完了しているか",
    "同じ要素に同じ値を入力するなど、同じアクションを絶対に繰り返さないでください。実行済みの場合は次のステップに進んでください。",
  ].join("\n"),
  zh: [
    "执行任何操作之前,必须仔细查看对话历史,并确认:",
    "- 已执行的操作:在哪个元素中输入了什么、点击了哪些按钮、打开了哪些页面;",
    "- 已填写的字段及其内容;",
    "- 任务目前进行到哪个阶段。",
    "绝不要对同一元素以同样的值重复同样的操作。如果已经执行过,请进入下一步。",
  ].join("\n"),
};

/** For a model that plays the user and was told to end with a stop signal, which `{signal}` stands for. */
export const stopAtOnce: Readonly<Record<Language, string>> = {
  en: [
    "IMPORTANT: As soon as the goal of your instruction is met (the agent has completed the task), answer '{signal}' as a standalone message, without anything else.",
    'Do not enter into a polite back-and-forth: no "thank you" or "have a great day" after the goal is met. If you have said thank you already, your next message is {signal}.',
  ].join("\n"),
  ja: [
    "重要: 指示の目的が達成されたら(エージェントがタスクを完了したら)、直ちに「{signal}」だけを単独のメッセージとして返してください。",
    "目的の達成後にお礼や別れの挨拶のやり取りを続けないでください。すでにお礼を述べた場合、次のメッセージは {signal} です。",
  ].join("\n"),
  zh: [
    "重要:一旦指令的目标达成(智能体已完成任务),必须立即单独回复“{signal}”,不要附加任何其他内容。",
    "不要陷入礼貌性的来回客套:目标达成后不要再说“谢谢”或“祝您愉快”。如果已经道谢,下一条消息就是 {signal}。",
  ].join("\n"),
};
