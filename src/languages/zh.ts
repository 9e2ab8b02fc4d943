import { type LanguageWords, words } from "./language.ts";

export const chinese: LanguageWords = {
  code: "zh",
  failureOpening: words`错误|錯誤|失敗|失败`,
  denial: words`未找到|没有找到|沒有找到|找不到|未能|无法|無法|不存在|不可|不能|失败|无效|無效|超时|逾時|超過時間|被拒绝|被拒絕`,
  negatedFault: words`(?:没有|沒有|未|无|無)(?:发现|發現|找到|检测到|出现)?(?:任何)?(?:错误|錯誤|失败|失敗|问题|問題|异常|警告)`,
  announcing: words`我(?:现在|馬上|马上|这就|這就|将|將|会|會|先|来|來|开始|開始)|让我|讓我|接下来我|接下來我|下面我`,
  goOn: words`继续|繼續|接着|下一步|请继续`,
  farewell: words`
    (?:非常|十分|太)?(?:感谢|感謝|谢谢|謝謝|多谢|多謝)(?:您|你)?|不客气|不客氣|不用谢|不用謝|别客气|再见|再見|再会|拜拜|
    祝(?:您|你)?(?:有|度过|度過)?(?:一个|一個|个)?(?:美好|愉快|开心|開心|顺利|順利)的?(?:一天|一日|周末|週末|夜晚)?|祝(?:您|你)?(?:生活|旅途|周末)?愉快|(?:多)?保重|
    一路(?:顺风|順風|平安)|慢走|晚安`,
  offer: words`
    (?:如果|如)?(?:您|你)?(?:还|還)?有(?:任何|其他|别的|什么)?(?:需要|问题|問題)?(?:的话)?\s?(?:请|請)?(?:随时|隨時)(?:联系|聯繫|告诉|告訴|找)(?:我|我们|我們)?`,
  courtesy: words`您也一样|你也一样|您也是|你也是|也祝您|也祝你|同样|很高兴|能够?|帮到|帮助|您的|你的|您|你|我|也|非常|好的|啊|哦|呢|了|的`,
  tally: words`失敗|失败`,
  and: words`或|和`,
  summary: words`总结|總結|摘要`,
  noTools: words`(?:不要|勿|不得)(?:调用|使用|調用).{0,8}工具`,
  historyTitle: words`历史|歷史`,
  taskTitle: words`任务|任務|目标|用户`,
  stateTitle: words`页面|頁面|状态`,
  faultTitle: words`警告|错误|錯誤`,
  nowTitle: words`最新|当前|目前|现在`,
  stateLabel: words`当前(?:界面|页面|屏幕)?(?:状态|页面|屏幕|界面)`,
  taskLabel: words`目标|任务`,
  userLabel: words`用户|用戶`,
  agentLabel: words`助手|智能体`,
  memoLabel: words`记忆|备注`,
  noHistory: words`无|無|暂无|空`,
  stepLabel: words`步骤`,
};
