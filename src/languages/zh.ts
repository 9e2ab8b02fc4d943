import type { LanguageWords } from "./language.ts";

export const chinese: LanguageWords = {
  code: "zh",
  failureOpening: "错误|錯誤|失敗|失败",
  failureClause: "无法|未能",
  failureState: "失敗|失败",
  failureField: "错误|錯誤",
  refusalState: "拒绝|已拒绝|不可",
  done: "已经?(保存|更新|创建|删除|添加|发送|写入|提交)|成功|完成",
  denial:
    "未找到|没有找到|沒有找到|找不到|未能|无法|無法|不存在|不可|不能|失败|无效|無效|超时|逾時|超過時間|被拒绝|被拒絕",
  negatedFault:
    "(?:没有|沒有|未|无|無)(?:发现|發現|找到|检测到|出现)?(?:任何)?(?:错误|錯誤|失败|失敗|问题|問題|异常|警告)",
  announcing: "我(?:现在|馬上|马上|这就|這就|将|將|会|會|先|来|來|开始|開始)|让我|讓我|接下来我|接下來我|下面我",
  goOn: "继续|繼續|接着|下一步|请继续",
  please: "请|請|好的?",
  calls: "工具|函数",
  answers: "回答|返答|回复|輸出|输出|调用",
};
