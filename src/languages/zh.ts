import { type LanguageWords, words } from "./language.ts";

export const chinese: LanguageWords = {
  code: "zh",
  failureOpening: words`[错錯][误誤]|失[敗败]`,
  denial: words`未找到|[没沒]有找到|找不到|未能|[无無]法|不存在|不可|不能|失[败敗]|[无無]效|超[时時]`,
  negatedFault: words`(?:[没沒]有|未|[无無])(?:[发發][现現]|找到)?(?:任何)?(?:[错錯][误誤]|失[败敗]|[问問][题題])`,
  announcing: words`我(?:现在|[马馬]上|[这這]就|[将將会會先来來]|[开開]始)|[让讓]我|接下[来來]我|下面我`,
  actLabel: words`命令|动作|操作`,
  goOn: words`[继繼][续續]|接着|下一步`,
  farewell: words`
    (?:非常|十分|太)?(?:感[谢謝]|[谢謝]{2})[您你]?|不客[气氣]|不用[谢謝]|再[见見]|拜拜|晚安|保重|
    祝[您你]?(?:有|度[过過])?(?:一[个個])?(?:美好|愉快|[开開]心)的?(?:一天|[周週]末)|祝[您你]?(?:生活|旅途|周末)?愉快`,
  offer: words`如?果?[您你]?[还還]?有(?:任何|其他)?(?:需要|[问問][题題])?\s?[请請]?[随隨][时時](?:[联聯][系繫]|告[诉訴]|找)我`,
  tally: words`失[敗败]`,
  and: words`或|和`,
  through: words`到|至`,
  all: words`全部|所有|共`,
  doing: words`(?:[执執]行|[运運]行|跑|重[复複]|[点點][击擊]|按(?![照时時])|(?<![测測考面调調])[试試](?![图圖])|(?:再|重新|请)测试|[调調]用|[检檢]查|[发發]送|刷新|查[询詢]|重[试試]|做|[监監]控|查看|[开開關关])(?![了过過])`,
  numbers: words`[二两兩]|三|四|五|六|七|八|九|十|二十|五十|一?百`,
  times: words`次(?![要数數])|遍|回(?![答复覆])`,
  endless: words`
    反[复覆]|不[断斷停]|一直|持[续續]|循[环環]|[几幾数數]十[次遍回]|每隔?\d{0,3}[一半]?[个個]?(?:秒|分[钟鐘]|小[时時])|
    (?:接下[来來]|未来)的?\d{0,3}[一半]?[个個]?(?:分[钟鐘]|小[时時])`,
  until: words`直[到至]`,
  failing: words`失[败敗]|出[错錯]|[报報][错錯]|[错錯][误誤]`,
  saying: words`[写寫说說念喊抄]|[输輸]出|打印|重[复複]`,
  summary: words`[总總][结結]|摘要`,
  noTools: words`(?:不要|勿|不得)(?:使|[调調])用.{0,8}工具`,
  historyTitle: words`[历歷]史`,
  taskTitle: words`任[务務]|目标|用户`,
  stateTitle: words`[页頁]面|状态`,
  faultTitle: words`警告|[错錯][误誤]`,
  nowTitle: words`最新|当前|目前|现在`,
  stateLabel: words`当前(?:界面|页面|屏幕)?(?:状态|页面|屏幕|界面)`,
  taskLabel: words`目标|任务`,
  userLabel: words`用[户戶]`,
  agentLabel: words`助手|智能体`,
  memoLabel: words`记忆|备注`,
  noHistory: words`[无無]|暂无|空`,
  stepLabel: words`步骤`,
};
